package org.weft.decomposition.cp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.Resumable;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Sums;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;

/**
 * Updates a CP model of a tensor that has grown in any modes. It reads only the new entries, which
 * lie outside of the box of the model's mode sizes. The old model stands for the entries within the
 * box. The method is OnlineCPD (Zhou et al. 2016), with a forgetting factor f as in CP-stream
 * (Smith et al. 2018) and growth in several modes as in MAST (Song et al. 2017).
 *
 * <p>G_m (R x R) is the Gram matrix of factor A_m, and G'_m is the Gram matrix of its old rows. Q_n
 * (R x R) is what {@link CpHistory} knows of the past of mode n, and H_n = f A_n Q_n for the factor
 * A_n of the old model. Products with (*) are elementwise:
 *
 * <pre>
 * for each mode n:  M   = X_(n) (A_N (.) ... (.) A_1) over all m but n, of the new entries
 *                   V   = (*) G_m,  V' = (*) G'_m,  over all m but n
 *                   new rows:  A_n = M V^-1
 *                   old rows:  A_n = (M + H_n) (f Q_n + V - V')^-1
 * at the end:       Q_n = f Q_n + V - V'
 * </pre>
 *
 * <p>An old row is a compromise between the new cells of its slice and its past. With f below 1 the
 * past weighs less after each update. Old rows of a mode keep their values if no other mode has
 * grown, because they have no new cells. New rows start at random numbers, and two sweeps over the
 * new rows alone come first. Columns are not normalised between sweeps, because the past fixes
 * their norms. The fit is the fit at the new cells. A sweep costs O(nnz R) for nnz new entries and
 * O(I R^2) for the I rows of all modes.
 *
 * @param cpd the rank, the iterations, the tolerance, the sign of the factors, the seed and the
 *     type; it has no constraints of modes
 * @param history the old model and its Q_n
 * @param forget f, above 0 and at most 1
 */
public record StreamingUpdate(Cpd cpd, CpHistory history, double forget)
    implements Resumable<StreamingUpdate.Model> {
  /** The number of sweeps over the new rows alone. */
  private static final int ALONE = 2;

  private static final String FACTOR = "factor";

  public StreamingUpdate {
    if (!(forget > 0 && forget <= 1)) {
      throw new WeftException(
          ErrorCode.USAGE,
          "append: expected a forgetting factor above 0 and at most 1, found " + forget);
    }
    if (history.rank() != cpd.rank()) {
      throw new WeftException(
          ErrorCode.USAGE,
          "append: expected the rank of the model, " + history.rank() + ", found " + cpd.rank());
    }
  }

  /**
   * The updated model.
   *
   * @param factors a matrix of the new mode size x R for each mode, with columns of 2-norm 1
   * @param lambda the weight of each component
   * @param information Q_n of each mode for the next update: R x R, row-major
   * @param fits the fit at the new cells after each sweep
   * @param seconds time of each sweep
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Model(
      List<Factor> factors,
      double[] lambda,
      double[][] information,
      List<Double> fits,
      List<Double> seconds,
      boolean converged) {}

  @Override
  public void check(TensorShape shape) {
    history.check(shape);
    cpd.check(shape.order());
  }

  @Override
  public Job job(TensorShape shape) {
    check(shape);
    return cpd.job(shape).withSharing(false);
  }

  @Override
  public Model run(Site site, Observer observer, Checkpoints checkpoints) {
    Sweeps sweeps = new Sweeps(cpd.maxIterations(), cpd.tolerance(), observer, checkpoints);
    return new Update(site, sweeps.start()).run(sweeps);
  }

  /** The state of one run. */
  private final class Update {
    private final Site site;
    private final int order = history.order();
    private final int rank = history.rank();
    private final GrownFactors factors;
    private final GrownGrams grams;
    private double inner;

    Update(Site site, Optional<MethodState<RowSource>> start) {
      this.site = site;
      Sweeps.requireFinite("the sum of the squares of the new values", site.normSquared());
      factors = new GrownFactors(site, cpd, history);
      grams =
          new GrownGrams(
              history, forget, modes().mapToObj(factors::gram).toArray(DMatrixRMaj[]::new));
      modes().forEach(mode -> factors.remember(mode, grams.past(mode)));
      modes().filter(factors::grow).forEach(factors::mark);
      start.ifPresentOrElse(this::goOn, this::begin);
    }

    private void goOn(MethodState<RowSource> state) {
      factors.replace(MethodState.at(site, state, FACTOR, cpd.valueType()));
      grams.goOn(state);
    }

    private void begin() {
      modes()
          .filter(factors::grow)
          .forEach(mode -> grams.begin(mode, factors.begin(mode, grams.old(mode))));
      for (int time = 0; time < ALONE; time++) {
        modes().filter(factors::grow).forEach(mode -> update(mode, true));
      }
    }

    private IntStream modes() {
      return IntStream.range(0, order);
    }

    Model run(Sweeps sweeps) {
      sweeps.run(
          site,
          this::sweep,
          () -> false,
          () -> grams.save(new MethodState<Rows>().rows(FACTOR, factors.factors())));
      double[] lambda = new double[rank];
      Arrays.fill(lambda, 1);
      List<Factor> made = new ArrayList<>();
      for (int mode = 0; mode < order; mode++) {
        double[] norms = grams.norms(mode);
        Arrays.setAll(lambda, r -> lambda[r] * norms[r]);
        made.add(new Factor(factors.factors().get(mode), GrownGrams.inverse(norms)));
      }
      double[][] next =
          modes()
              .mapToObj(mode -> grams.after(mode, factors.othersGrow(mode)))
              .toArray(double[][]::new);
      return new Model(made, lambda, next, sweeps.fits(), sweeps.seconds(), sweeps.converged());
    }

    private double sweep(int number) {
      modes().forEach(mode -> update(mode, false));
      double norm = site.normSquared();
      double squares = Math.max(0, norm - 2 * inner + grams.newSquared());
      double fit = norm == 0 ? 1 : 1 - Math.sqrt(squares) / Math.sqrt(norm);
      Sweeps.requireFinite("the fit after iteration " + number, fit);
      return fit;
    }

    /**
     * Solves for the rows of a mode.
     *
     * @param alone whether old rows keep their values
     */
    private void update(int mode, boolean alone) {
      AppendedRow row =
          new AppendedRow(
              AppendedRow.Equations.of(grams.fresh(mode)),
              AppendedRow.Equations.of(grams.weighed(mode)),
              alone || !factors.othersGrow(mode),
              cpd.nonnegative(),
              rank);
      Sums sums = factors.update(mode, row);
      grams.put(mode, sums.matrix("G", rank), sums.matrix("N", rank));
      inner = Arrays.stream(sums.get("d")).sum();
    }
  }
}
