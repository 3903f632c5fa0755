package org.weft.spark.kernel;

import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.rows.Sums;
import org.weft.spark.exchange.RowPlace;

/**
 * What a task of a step sends to the driver.
 *
 * @param range of rows that the task has finished and stored; {@link #PART} if others have a part
 *     in the rows that it has made
 * @param partition of the tensor that the rows were made of; the range if they were made of none
 * @param sums over the rows that it has finished
 * @param place where the rows are; none if there are no rows
 */
public record StepPart(int range, int partition, Sums sums, @Nullable RowPlace place)
    implements Serializable {
  /** No range of its own. */
  public static final int PART = -1;

  static StepPart empty(int partition) {
    return part(partition, null);
  }

  static StepPart part(int partition, @Nullable RowPlace place) {
    return new StepPart(PART, partition, new Sums(Map.of()), place);
  }
}
