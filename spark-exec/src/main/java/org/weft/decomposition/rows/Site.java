package org.weft.decomposition.rows;

import java.util.List;
import org.weft.decomposition.Method;
import org.weft.planner.job.ModeGroup;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Where a {@link Method} runs. A site has the packed tensor, the statements and the algebra of the
 * method's job, and all rows. The method itself holds nothing that grows with a mode. A site may
 * keep slices in another order than the files; no method notices.
 */
public interface Site {
  /** Mode sizes of the tensor. */
  TensorShape shape();

  /** Squared Frobenius norm of the tensor, duplicates summed. */
  double normSquared();

  /** Number of the tensor's stored entries, duplicates summed. */
  long entries();

  /**
   * The unit in which the values of the tensor are about 1, so that a method does not depend on the
   * unit of the user: the root of the mean of the squared entries, and 1 if all are 0.
   */
  default double unit() {
    double unit = Math.sqrt(normSquared() / Math.max(1, entries()));
    return unit > 0 ? unit : 1;
  }

  /**
   * The groups of modes that share products, and the modes that share none, in order: statements of
   * the plan in the place of the MTTKRPs of the job. Empty if each MTTKRP is a statement.
   */
  List<ModeGroup> groups();

  /** Where the row of a slice stands in results that have the mode as columns. */
  long place(int mode, long slice);

  /** Rows for results, of any numbers. */
  Rows rows(int mode, int columns, ValueType type);

  /** Random numbers in [0, 1): a function of the seed and of the slices as the user knows them. */
  Rows random(int mode, int columns, ValueType type, long seed);

  /** The rows of a matrix, which is read where they lie. */
  Rows given(int mode, RowSource matrix, ValueType type);

  /** The rows of a matrix of this process. */
  default Rows given(int mode, DenseMatrix matrix, ValueType type) {
    return given(mode, RowSource.of(matrix), type);
  }

  /** Runs a step; its sums do not depend on who is first. */
  Sums run(Step step);

  /** The rows in the order in which the user knows the slices. Memory: all of them. */
  DenseMatrix collect(Rows rows);

  /**
   * What the user gets: a user who asked for it gets the rows in the order of the packed slices.
   * Memory: all of them.
   */
  DenseMatrix result(Factor factor);

  /**
   * Writes what {@link #result} collects of each factor as a NumPy file, in place of one that is
   * there: whoever has the rows does. Memory of this process: nothing that grows with the mode,
   * where it has none of them.
   *
   * @param uris for each factor, of a file that ends in .npy
   */
  void write(List<Factor> factors, List<String> uris);

  /** Writes what {@link #collect} collects, as {@link #write} does: numbers keep their bits. */
  void save(Rows rows, String uri);
}
