package org.weft.spark.kernel;

import java.util.Iterator;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.weft.planner.SliceRange;
import org.weft.spark.resident.ResidentPartition;
import org.weft.tensor.TensorStorage;

/**
 * Updates the rows of a factor where their slices lie. Slices that are split among partitions go to
 * the driver, which adds them up: they are few.
 */
public final class OwnedRows implements FlatMapFunction<Iterator<ResidentPartition>, FactorSums> {
  private static final long serialVersionUID = 1L;

  private final DenseStep mttkrp;
  private final FactorUpdate update;

  /**
   * @param mttkrp makes the rows of a partition's slices
   */
  public OwnedRows(DenseStep mttkrp, FactorUpdate update) {
    this.mttkrp = mttkrp;
    this.update = update;
  }

  @Override
  public Iterator<FactorSums> call(Iterator<ResidentPartition> partitions) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return partitions.hasNext();
      }

      @Override
      public FactorSums next() {
        return sums(partitions.next());
      }
    };
  }

  private FactorSums sums(ResidentPartition partition) {
    SliceRange range = partition.range();
    if (range.slices() == 0) {
      return FactorSums.none(partition.partition());
    }
    TensorStorage m = mttkrp.result(partition);
    if (range.pieces() == 1) {
      int stored = update.previous().rangeOf(range.from());
      return update.update(partition.partition(), stored, m);
    }
    double[] rows = new double[Math.toIntExact(m.vals().length())];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = m.vals().getDouble(i);
    }
    m.close();
    return FactorSums.shared(partition.partition(), range.from(), rows);
  }
}
