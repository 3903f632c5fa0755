package org.weft.decomposition;

import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * What a CP decomposition {@code X ~ sum_r lambda_r a_r o b_r o ...} is to be (Kolda and Bader
 * 2009, section 3.4).
 *
 * @param rank number of components R
 * @param maxIterations sweeps over all modes at most
 * @param tolerance stop when the fit changes by less than this between sweeps; 0 runs every sweep
 * @param nonnegative constrain every factor to be nonnegative
 * @param seed of the initial factors
 */
public record Cpd(
    int rank,
    int maxIterations,
    double tolerance,
    boolean nonnegative,
    long seed,
    ValueType valueType) {
  private static final long MODE_SEED = 0xD1B54A32D192ED03L;

  public Cpd {
    if (rank < 1) {
      throw usage("a rank of at least 1", rank);
    }
    if (maxIterations < 1) {
      throw usage("at least 1 iteration", maxIterations);
    }
    if (!(tolerance >= 0)) {
      throw usage("a tolerance of at least 0", tolerance);
    }
  }

  private static WeftException usage(String expected, Object found) {
    return new WeftException(ErrorCode.USAGE, "cpd: expected " + expected + ", found " + found);
  }

  /** The same from another seed. */
  public Cpd withSeed(long other) {
    return new Cpd(rank, maxIterations, tolerance, nonnegative, other, valueType);
  }

  /** The seed of {@link Site#random} for the factor that it starts from. */
  public long seed(int mode) {
    return seed + mode * MODE_SEED;
  }

  RowAlgebra algebra() {
    return RowAlgebra.of(rank, valueType);
  }

  /**
   * Its statements on a tensor of this shape: MTTKRPs.
   *
   * @throws WeftException {@code USAGE} for a scalar
   */
  public Job job(TensorShape shape) {
    if (shape.order() == 0) {
      throw usage("a tensor of order 1 or more", "a scalar");
    }
    return Job.mttkrps(
            "cpd",
            shape.order(),
            rank,
            List.of(algebra().product(), algebra().gram(), algebra().inner()),
            maxIterations,
            valueType)
        .withTolerance(tolerance);
  }
}
