package org.weft.planner.tune;

import java.util.List;

/**
 * Seconds of the runs of one variant, which took turns with those of others.
 *
 * @param seconds in the order in which they ran; at least one
 */
public record Timings(List<Double> seconds) {
  /** Runs below which nothing is said of a variant. */
  private static final int LEAST_RUNS = 5;

  public Timings {
    seconds = List.copyOf(seconds);
    if (seconds.isEmpty()) {
      throw new IllegalArgumentException("expected at least one run, found none");
    }
  }

  public int runs() {
    return seconds.size();
  }

  public double median() {
    return quantile(0.5);
  }

  public double fastest() {
    return quantile(0);
  }

  public double lowerQuartile() {
    return quantile(0.25);
  }

  public double upperQuartile() {
    return quantile(0.75);
  }

  /** The distance of the quartiles as a share of the median: 0 for a machine without noise. */
  public double spread() {
    return median() > 0 ? (upperQuartile() - lowerQuartile()) / median() : 0;
  }

  /**
   * Whether even the slow runs of this variant are faster than every run of the reference: its
   * upper quartile is below the fastest run of the reference, and it ran at least five times. The
   * fastest run of the reference, not its median: what else runs on a machine slows parallel
   * kernels more than sequential ones, run after run.
   */
  public boolean clearlyFasterThan(Timings reference) {
    return runs() >= LEAST_RUNS
        && reference.runs() >= LEAST_RUNS
        && upperQuartile() < reference.fastest();
  }

  /** Interpolated between runs; {@code share} from 0, the fastest run, to 1, the slowest. */
  private double quantile(double share) {
    double[] sorted = seconds.stream().mapToDouble(s -> s).sorted().toArray();
    double at = share * (sorted.length - 1);
    int below = (int) at;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }
}
