package org.weft.decomposition;

import java.util.List;
import java.util.Map;
import org.weft.memory.MemoryScope;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * What a method computes with: the statements and the algebra of its job, on tensors off the heap.
 * Slices may stand in another order than in the files; rows of factors are in the order of slices.
 */
public interface RowProducts {
  /** Mode sizes of the tensor. */
  TensorShape shape();

  /** Owner of what the method allocates; closed when the method has ended. */
  MemoryScope scope();

  /**
   * Runs a statement of the job.
   *
   * @param statement its number
   * @param factors by mode, row-major and of the job's value type; the same for every call
   * @param rows of the statement's mode, to be overwritten; the same for every call
   */
  void run(int statement, List<TensorStorage> factors, TensorStorage rows);

  /** Runs a kernel of the job's algebra; its result has zeros before. */
  void algebra(String symbol, Map<String, TensorStorage> tensors);

  /** Rows of numbers in [0, 1) for the slices of a mode: a function of the seed and the slice. */
  DenseMatrix uniform(int mode, int columns, long seed);

  /** The rows of a mode in the order in which the user knows the slices. */
  DenseMatrix original(int mode, DenseMatrix rows);
}
