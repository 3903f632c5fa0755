package org.weft.spark.kernel;

import java.io.Serializable;
import java.util.BitSet;
import org.weft.planner.partition.SliceRange;
import org.weft.spark.resident.BlockSpace;
import org.weft.spark.resident.FactorCopy;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.resident.ResidentPartition;
import org.weft.spark.resident.TaskMemory;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * A dense operand of a kernel: a factor, the matrix of a TTM or the vector of a TTV. An executor
 * gets the rows that its partitions read.
 *
 * @param name in the expression
 * @param vector whether the single column is meant as a vector
 * @param sliced whether a partition gets the rows of its range, and not all of them
 * @param home is there as long as the rows are
 */
public record DenseOperand(
    String name, boolean vector, boolean sliced, FactorVersion version, BlockSpace home)
    implements Serializable {

  /** The operand off heap, with the rows that a partition reads; leased to the running task. */
  FactorCopy.Lease lease(ResidentPartition partition, ValueType valueType) {
    if (!sliced) {
      BitSet read = partition.readRows(version.mode(), version.unit(), version.units());
      FactorCopy.Lease whole = FactorCopy.lease(home, version, read);
      return vector ? view(whole, 0, version.rows(), valueType) : whole;
    }
    SliceRange range = partition.range();
    BitSet own = version.unitsOf(range.from(), range.from() + range.slices());
    return view(FactorCopy.lease(home, version, own), range.from(), range.slices(), valueType);
  }

  private FactorCopy.Lease view(
      FactorCopy.Lease whole, long from, long count, ValueType valueType) {
    long rowBytes = (long) version.columns() * valueType.bytes();
    TensorStorage rows =
        TensorStorage.denseView(
            TaskMemory.ofTask().scope(),
            vector ? TensorShape.of(count) : TensorShape.of(count, version.columns()),
            valueType,
            whole.storage().vals().address() + from * rowBytes);
    return new FactorCopy.Lease(rows, whole.fetchedRows());
  }
}
