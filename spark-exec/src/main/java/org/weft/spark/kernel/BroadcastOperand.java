package org.weft.spark.kernel;

import java.io.Serializable;
import org.apache.spark.broadcast.Broadcast;
import org.weft.spark.resident.ResidentMatrix;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * A dense operand of a kernel: a factor matrix, the matrix of a TTM or the vector of a TTV.
 *
 * @param name in the expression
 * @param vector whether the single column is meant as a vector
 */
public record BroadcastOperand(String name, boolean vector, Broadcast<DenseMatrix> matrix)
    implements Serializable {

  /** The operand off heap, shared by the executor's tasks, leased to the running one. */
  TensorStorage lease(ValueType valueType) {
    return ResidentMatrix.lease(matrix, vector, valueType);
  }
}
