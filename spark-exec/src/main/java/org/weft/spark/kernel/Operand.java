package org.weft.spark.kernel;

import java.io.Serializable;
import org.apache.spark.broadcast.Broadcast;
import org.weft.memory.MemoryScope;
import org.weft.planner.SliceRange;
import org.weft.spark.resident.ResidentMatrix;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * A dense operand of a kernel: a factor matrix, the matrix of a TTM or the vector of a TTV.
 *
 * @param name in the expression
 * @param mode the tensor's mode that the rows belong to
 * @param vector whether the single column is meant as a vector
 */
public record Operand(String name, int mode, boolean vector, Broadcast<DenseMatrix> matrix)
    implements Serializable {

  /**
   * The operand off heap, for a partition over {@code range} of {@code partitionedMode}. All of it,
   * shared by the executor's tasks; only where the operand spans the partitioned mode itself, the
   * rows of the range, in the task's memory.
   */
  TensorStorage bind(
      int partitionedMode, SliceRange range, ValueType valueType, MemoryScope taskScope) {
    if (mode != partitionedMode) {
      return ResidentMatrix.lease(matrix, vector, valueType);
    }
    DenseMatrix all = matrix.value();
    int columns = all.columns();
    TensorShape shape =
        vector ? TensorShape.of(range.slices()) : TensorShape.of(range.slices(), columns);
    TensorStorage storage = TensorStorage.dense(taskScope, shape, valueType);
    for (long row = 0; row < range.slices(); row++) {
      for (int r = 0; r < columns; r++) {
        storage.vals().setDouble(row * columns + r, all.get(range.from() + row, r));
      }
    }
    return storage;
  }
}
