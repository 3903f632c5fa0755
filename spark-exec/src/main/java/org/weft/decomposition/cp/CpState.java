package org.weft.decomposition.cp;

import java.util.Arrays;
import java.util.List;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;

/**
 * All that a CP decomposition carries from one sweep to the next: who goes on from it gets the bits
 * of a run that was never interrupted. A model to start from is a state without sweeps.
 *
 * @param factors as they are stored: mode size x R, columns not normalised
 * @param duals of the modes with constraints on rows, in order; empty to begin with zeros
 * @param scales that make the factors' columns 2-norm 1: R numbers for each mode
 * @param norms that the columns had in the latest sweep: R numbers for each mode
 * @param grams {@code A^T A} of the normalised factors, R x R, row-major; empty to compute them
 * @param lambda weights of the components
 * @param fits after each sweep
 * @param seconds that each sweep took
 */
@SuppressWarnings("ArrayRecordComponent")
public record CpState(
    List<RowSource> factors,
    List<RowSource> duals,
    double[][] scales,
    double[][] norms,
    double[][] grams,
    double[] lambda,
    List<Double> fits,
    List<Double> seconds) {
  public CpState {
    factors = List.copyOf(factors);
    duals = List.copyOf(duals);
    fits = List.copyOf(fits);
    seconds = List.copyOf(seconds);
  }

  /** The same with rows that are elsewhere. */
  public CpState withRows(List<RowSource> otherFactors, List<RowSource> otherDuals) {
    return new CpState(otherFactors, otherDuals, scales, norms, grams, lambda, fits, seconds);
  }

  /** A model to start from, with unit columns. */
  public static CpState of(List<RowSource> factors, double[] lambda) {
    double[] ones = new double[lambda.length];
    Arrays.fill(ones, 1);
    double[][] scales = new double[factors.size()][];
    double[][] norms = new double[factors.size()][];
    for (int mode = 0; mode < scales.length; mode++) {
      scales[mode] = ones.clone();
      norms[mode] = lambda.clone();
    }
    return new CpState(
        factors, List.of(), scales, norms, new double[0][], lambda, List.of(), List.of());
  }

  /** The state on which the next sweep depends. Its rows are where {@code keeper} brings them. */
  static CpState of(
      Site site,
      CpRun.Keeper keeper,
      List<Rows> factors,
      List<FactorUpdate> updates,
      CpWeights weights,
      Sweeps sweeps) {
    return new CpState(
        factors.stream().map(rows -> keeper.keep(site, "factor" + rows.mode(), rows)).toList(),
        updates.stream()
            .flatMap(update -> update.state().stream())
            .map(rows -> keeper.keep(site, "dual" + rows.mode(), rows))
            .toList(),
        weights.scales(),
        weights.norms(),
        weights.grams(),
        weights.lambda(),
        sweeps.fits(),
        sweeps.seconds());
  }
}
