package org.weft.spark.kernel;

import java.util.BitSet;
import org.weft.planner.partition.SliceRange;
import org.weft.spark.resident.BlockSpace;
import org.weft.spark.resident.FactorCopy;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.resident.ResidentMatrix;
import org.weft.spark.resident.ResidentPartition;
import org.weft.spark.resident.TaskMemory;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * A factor of a decomposition, which the executors have among them.
 *
 * @param name in the expression
 * @param sliced whether a partition gets the rows of its range, and not all of them
 * @param decomposition is there as long as the decomposition runs
 */
public record FactorOperand(
    String name, boolean sliced, FactorVersion version, BlockSpace decomposition)
    implements DenseOperand {

  @Override
  public ResidentMatrix.Lease lease(ResidentPartition partition, ValueType valueType) {
    if (!sliced) {
      BitSet read = partition.readBlocks(version.mode(), version.unit(), version.units());
      return FactorCopy.lease(decomposition, version, read);
    }
    SliceRange range = partition.range();
    BitSet own = version.unitsOf(range.from(), range.from() + range.slices());
    ResidentMatrix.Lease whole = FactorCopy.lease(decomposition, version, own);
    long rowBytes = (long) version.columns() * valueType.bytes();
    TensorStorage rows =
        TensorStorage.denseView(
            TaskMemory.ofTask().scope(),
            TensorShape.of(range.slices(), version.columns()),
            valueType,
            whole.storage().vals().address() + range.from() * rowBytes);
    return new ResidentMatrix.Lease(rows, whole.fetchedRows());
  }
}
