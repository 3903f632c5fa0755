package org.weft.decomposition.cp;

import java.util.Arrays;
import java.util.List;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;

/**
 * What a CP decomposition by least squares carries from one sweep to the next, beside its fits. A
 * model to start from is a state without sweeps.
 *
 * @param factors as they are stored: mode size x R, columns not normalised
 * @param duals of the modes with constraints on rows, in order; empty to begin with zeros
 * @param scales that make the factors' columns 2-norm 1: R numbers for each mode
 * @param norms that the columns had in the latest sweep: R numbers for each mode
 * @param grams {@code A^T A} of the normalised factors, R x R, row-major; empty to compute them
 * @param lambda weights of the components
 */
@SuppressWarnings("ArrayRecordComponent")
public record CpState(
    List<RowSource> factors,
    List<RowSource> duals,
    double[][] scales,
    double[][] norms,
    double[][] grams,
    double[] lambda) {
  private static final String FACTOR = "factor";
  private static final String DUAL = "dual";

  public CpState {
    factors = List.copyOf(factors);
    duals = List.copyOf(duals);
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
    return new CpState(factors, List.of(), scales, norms, new double[0][], lambda);
  }

  /** What a run has kept. */
  public static CpState of(MethodState<RowSource> saved) {
    return new CpState(
        saved.rows(FACTOR),
        saved.rows(DUAL),
        saved.lists("scale"),
        saved.lists("norm"),
        saved.lists("gram"),
        saved.numbers("lambda"));
  }

  /** The state of a run that begins with this one. */
  public MethodState<RowSource> begun() {
    return numbers(new MethodState<RowSource>(), scales, norms, grams, lambda)
        .rows(FACTOR, factors)
        .rows(DUAL, duals);
  }

  /** The state of a run, on which its next sweep depends. */
  static MethodState<Rows> live(List<Rows> factors, List<Rows> duals, CpWeights weights) {
    return numbers(
            new MethodState<Rows>(),
            weights.scales(),
            weights.norms(),
            weights.grams(),
            weights.lambda())
        .rows(FACTOR, factors)
        .rows(DUAL, duals);
  }

  private static <R> MethodState<R> numbers(
      MethodState<R> state,
      double[][] scales,
      double[][] norms,
      double[][] grams,
      double[] lambda) {
    return state
        .numbers("scale", scales)
        .numbers("norm", norms)
        .numbers("gram", grams)
        .numbers("lambda", lambda);
  }
}
