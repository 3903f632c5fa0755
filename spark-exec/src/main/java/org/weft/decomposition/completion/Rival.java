package org.weft.decomposition.completion;

import java.util.Collections;
import java.util.List;

/**
 * The run that a later one has to beat. Of several ridges or starts most are worse from the first
 * iterations on, and need not be run to their end.
 *
 * @param fits after each iteration; empty if there is none to beat
 */
public record Rival(List<Double> fits) {
  /** There is no other run. */
  public static final Rival NONE = new Rival(List.of());

  /** Earlier a run says too little. */
  private static final int LEAST_ITERATIONS = 8;

  public Rival {
    fits = List.copyOf(fits);
  }

  /** Whether a run is not even as good as this one was after a quarter of its iterations. */
  boolean isOutOfReach(List<Double> later) {
    int quarter = Math.min(fits.size(), later.size() / 4);
    return later.size() >= LEAST_ITERATIONS
        && quarter > 0
        && Collections.max(later) < Collections.max(fits.subList(0, quarter));
  }
}
