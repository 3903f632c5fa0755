package org.weft.spark.kernel;

import java.util.Arrays;
import java.util.Iterator;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.weft.planner.partition.SliceRange;
import org.weft.spark.resident.ResidentPartition;
import org.weft.tensor.TensorStorage;

/**
 * Runs a step on rows where their slices lie. Slices that are split among partitions go to the
 * driver, which adds them up: they are few.
 */
public final class OwnedRows implements FlatMapFunction<Iterator<ResidentPartition>, StepPart> {
  private static final long serialVersionUID = 1L;

  private final DenseStep statement;
  private final RowsStep step;

  /**
   * @param statement makes the rows of a partition's slices
   */
  public OwnedRows(DenseStep statement, RowsStep step) {
    this.statement = statement;
    this.step = step;
  }

  @Override
  public Iterator<StepPart> call(Iterator<ResidentPartition> partitions) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return partitions.hasNext();
      }

      @Override
      public StepPart next() {
        return sums(partitions.next());
      }
    };
  }

  private StepPart sums(ResidentPartition partition) {
    SliceRange range = partition.range();
    if (range.slices() == 0) {
      return StepPart.empty(partition.partition());
    }
    TensorStorage made = statement.result(partition);
    if (range.pieces() == 1) {
      int stored = Arrays.binarySearch(step.starts(), range.from());
      return step.run(partition.partition(), stored, made);
    }
    double[] rows = RowsStep.numbers(made);
    made.close();
    return StepPart.shared(partition.partition(), range.from(), rows);
  }
}
