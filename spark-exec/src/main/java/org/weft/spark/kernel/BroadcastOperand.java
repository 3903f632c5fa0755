package org.weft.spark.kernel;

import org.weft.spark.resident.OperandRows;
import org.weft.spark.resident.ResidentMatrix;
import org.weft.spark.resident.ResidentPartition;
import org.weft.tensor.ValueType;

/**
 * A dense operand that the driver has broadcast.
 *
 * @param name in the expression
 * @param vector whether the single column is meant as a vector
 * @param mode the tensor's mode whose coordinates number the rows
 * @param sliced whether a partition gets the rows of its range, and not all of them
 */
public record BroadcastOperand(
    String name, boolean vector, int mode, boolean sliced, OperandRows rows)
    implements DenseOperand {

  @Override
  public ResidentMatrix.Lease lease(ResidentPartition partition, ValueType valueType) {
    if (sliced) {
      return ResidentMatrix.leaseRows(rows, vector, valueType, partition.range());
    }
    return ResidentMatrix.lease(
        rows,
        vector,
        valueType,
        partition.readBlocks(mode, rows.blockRows(), rows.blocks().size()));
  }
}
