package org.weft.spark.kernel;

import java.io.Serializable;
import org.weft.spark.resident.OperandRows;
import org.weft.spark.resident.ResidentMatrix;
import org.weft.spark.resident.ResidentPartition;
import org.weft.tensor.ValueType;

/**
 * A dense operand of a kernel: a factor matrix, the matrix of a TTM or the vector of a TTV.
 *
 * @param name in the expression
 * @param vector whether the single column is meant as a vector
 * @param mode the tensor's mode whose coordinates number the rows
 * @param sliced whether a partition gets the rows of its range, and not all of them
 */
public record BroadcastOperand(
    String name, boolean vector, int mode, boolean sliced, OperandRows rows)
    implements Serializable {

  /** The operand off heap, with the rows that a partition reads; leased to the running task. */
  ResidentMatrix.Lease lease(ResidentPartition partition, ValueType valueType) {
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
