package org.weft.decomposition.rows;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.ejml.data.DMatrixRMaj;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeMemory;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** A small matrix on its way to where rows lie: row-major. */
@SuppressWarnings("ArrayRecordComponent")
public record SmallMatrix(int rows, int columns, double[] values) implements Serializable {

  /** Those of a step. */
  public static Map<String, SmallMatrix> of(Map<String, DMatrixRMaj> matrices) {
    Map<String, SmallMatrix> small = new HashMap<>();
    matrices.forEach(
        (name, matrix) ->
            small.put(name, new SmallMatrix(matrix.numRows, matrix.numCols, matrix.data)));
    return small;
  }

  /** A copy off the heap. */
  TensorStorage storage(MemoryScope scope) {
    TensorStorage storage =
        TensorStorage.dense(scope, TensorShape.of(rows, columns), ValueType.DOUBLE);
    NativeMemory.copyFromArray(values, 0, storage.vals().address(), rows * columns);
    return storage;
  }
}
