package org.weft.spark.kernel;

import java.util.Arrays;
import java.util.Iterator;
import org.weft.planner.partition.SliceRange;
import org.weft.spark.resident.FactorBlocks;
import org.weft.spark.resident.ResidentPartition;
import org.weft.spark.wire.PartitionWork;
import org.weft.tensor.TensorStorage;

/**
 * Runs a step on rows where the entries of their slices lie. Rows that other partitions have a part
 * in are stored as they are; {@link AddedRows} adds them up.
 */
public final class OwnedRows implements PartitionWork<ResidentPartition, StepPart> {
  private static final long serialVersionUID = 1L;

  private final DenseStep statement;
  private final RowsStep step;
  private final long parts;

  /**
   * @param statement makes the rows of a partition's slices, or a part in all rows
   * @param parts number that the blocks' names of rows begin with that are not whole
   */
  public OwnedRows(DenseStep statement, RowsStep step, long parts) {
    this.statement = statement;
    this.step = step;
    this.parts = parts;
  }

  @Override
  public Iterator<StepPart> of(Iterator<ResidentPartition> partitions) {
    return PartitionWork.each(this::part).of(partitions);
  }

  private StepPart part(ResidentPartition partition) {
    int number = partition.partition();
    int range = rangeOf(partition.range());
    if (range >= 0) {
      return step.run(range, number, statement.result(partition));
    }
    if (partition.storedEntries() == 0) {
      return StepPart.empty(number);
    }
    try (TensorStorage made = statement.result(partition)) {
      FactorBlocks.put(parts, number, RowsStep.matrix(made));
      return StepPart.part(number, FactorBlocks.here());
    }
  }

  /** The range of rows that a partition makes alone, or a negative number. */
  private int rangeOf(SliceRange made) {
    if (!statement.makesSlices() || made.pieces() > 1 || made.slices() == 0) {
      return StepPart.PART;
    }
    int range = Arrays.binarySearch(step.starts(), made.from());
    return range >= 0 && step.starts()[range + 1] == made.to() ? range : StepPart.PART;
  }
}
