package org.weft.engine;

import java.util.List;
import org.weft.tensor.DenseMatrix;

/**
 * A CP decomposition.
 *
 * @param factors per mode, mode size x R, columns of 2-norm 1 (or zero where lambda is 0); none
 *     where they were written and not collected
 * @param lambda weights of the R components
 * @param fits after each sweep
 * @param seconds that each sweep took
 * @param norm 2-norm of the tensor, duplicates summed
 * @param converged whether the fit changed by less than the tolerance in the last sweep
 */
@SuppressWarnings("ArrayRecordComponent")
public record CpdResult(
    List<DenseMatrix> factors,
    double[] lambda,
    List<Double> fits,
    List<Double> seconds,
    double norm,
    boolean converged,
    JobReport report) {
  public CpdResult {
    factors = List.copyOf(factors);
    fits = List.copyOf(fits);
    seconds = List.copyOf(seconds);
  }

  CpdResult withFactors(List<DenseMatrix> collected) {
    return new CpdResult(collected, lambda, fits, seconds, norm, converged, report);
  }
}
