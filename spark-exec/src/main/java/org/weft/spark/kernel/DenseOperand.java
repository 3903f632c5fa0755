package org.weft.spark.kernel;

import java.io.Serializable;
import org.weft.spark.resident.ResidentMatrix;
import org.weft.spark.resident.ResidentPartition;
import org.weft.tensor.ValueType;

/** A dense operand of a kernel: a factor, the matrix of a TTM or the vector of a TTV. */
public sealed interface DenseOperand extends Serializable permits BroadcastOperand, FactorOperand {
  /** In the expression. */
  String name();

  /** The operand off heap, with the rows that a partition reads; leased to the running task. */
  ResidentMatrix.Lease lease(ResidentPartition partition, ValueType valueType);
}
