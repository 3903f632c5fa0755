package org.weft.planner;

import java.util.List;
import org.weft.compiler.KernelRequest;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * CP decomposition by alternating least squares (Kolda and Bader 2009, section 3.4): {@code X ~
 * sum_r lambda_r a_r o b_r o ...}.
 *
 * @param rank number of components R
 * @param maxIterations sweeps over all modes at most
 * @param tolerance stop when the fit changes by less than this between sweeps; 0 runs every sweep
 * @param nonnegative constrain every factor to be nonnegative
 * @param seed of the initial factors
 */
public record CpdJob(
    int rank,
    int maxIterations,
    double tolerance,
    boolean nonnegative,
    long seed,
    ValueType valueType)
    implements Job {
  public CpdJob {
    Job.requireRank("cpd", rank);
    Job.requireFloating("cpd", valueType);
    if (maxIterations < 1) {
      throw new WeftException(
          ErrorCode.USAGE, "cpd: expected at least 1 iteration, found " + maxIterations);
    }
    if (!(tolerance >= 0)) {
      throw new WeftException(
          ErrorCode.USAGE, "cpd: expected a tolerance of at least 0, found " + tolerance);
    }
  }

  @Override
  public String name() {
    return "cpd";
  }

  @Override
  public int iterations() {
    return maxIterations;
  }

  @Override
  public List<KernelRequest> algebra() {
    return FactorStatements.of(rank, valueType);
  }

  @Override
  public void checkAppliesTo(TensorShape shape) {
    if (shape.order() == 0) {
      throw new WeftException(
          ErrorCode.USAGE, "cpd: expected a tensor of order 1 or more, found a scalar");
    }
  }
}
