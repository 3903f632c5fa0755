package org.weft.decomposition.cp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.weft.decomposition.Method;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Sums;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;

/**
 * Makes a CP model that of a tensor which has grown in any modes, from the entries outside of the
 * box of the model's mode sizes: the model stands for the entries in it. As OnlineCPD (Zhou et al.
 * 2016), with a forgetting factor as in CP-stream (Smith et al. 2018), and with growth in several
 * modes as in MAST (Song et al. 2017). With G_m the Gram matrix of a factor, G'_m that of its old
 * rows, H_n = f A_n Q_n of the model at the start, and Q_n of {@link CpHistory}:
 *
 * <pre>
 * for each mode n:  M   = X_(n) (A_N (.) ... (.) A_1) over all m but n, of the new entries
 *                   V   = (*) G_m,  V' = (*) G'_m,  over all m but n
 *                   new rows:  A_n = M V^-1
 *                   old rows:  A_n = (M + H_n) (f Q_n + V - V')^-1
 * at the end:       Q_n = f Q_n + V - V'
 * </pre>
 *
 * <p>So an old row is what fits the new cells, and leaves the model no more than they outweigh the
 * past; f below 1 makes the past weigh less with each update. Old rows stay where no other mode has
 * grown, as they have no new cells. New rows begin at random and are solved alone, twice. Columns
 * are not normalised between sweeps: the past fixes their norms. The fit is that of the new cells.
 * A sweep costs O(nnz R) for the new entries and O(I R^2) for the rows.
 *
 * @param cpd rank, iterations, tolerance, sign, seed and type; no constraints of modes
 * @param forget f, above 0 and at most 1
 */
public record StreamingUpdate(Cpd cpd, CpHistory history, double forget)
    implements Method<StreamingUpdate.Model> {
  private static final int ALONE = 2;

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

  /** As of {@link AlternatingLeastSquares}, and Q_n for the next update. */
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
    return cpd.job(shape);
  }

  @Override
  public Memory memory(TensorShape shape) {
    return Memory.PLANNED;
  }

  @Override
  public Model run(Site site, Observer observer) {
    return new Update(site).run(observer);
  }

  /** One run. */
  private final class Update {
    private final Site site;
    private final int order = history.order();
    private final int rank = history.rank();
    private final GrownFactors factors;
    private final GrownGrams grams;
    private double inner;

    Update(Site site) {
      this.site = site;
      Sweeps.requireFinite("the sum of the squares of the new values", site.normSquared());
      factors = new GrownFactors(site, cpd, history);
      grams =
          new GrownGrams(
              history, forget, modes().mapToObj(factors::gram).toArray(DMatrixRMaj[]::new));
      modes().forEach(mode -> factors.remember(mode, grams.past(mode)));
      modes()
          .filter(factors::grow)
          .forEach(mode -> grams.begin(mode, factors.begin(mode, grams.old(mode))));
    }

    private IntStream modes() {
      return IntStream.range(0, order);
    }

    Model run(Observer observer) {
      for (int time = 0; time < ALONE; time++) {
        modes().filter(factors::grow).forEach(mode -> update(mode, true));
      }
      Sweeps sweeps = new Sweeps(cpd.maxIterations(), cpd.tolerance(), observer);
      while (!sweeps.ended()) {
        sweeps.run(this::sweep);
      }
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
      double fit = 1 - Math.sqrt(squares) / Math.sqrt(norm);
      Sweeps.requireFinite("the fit after iteration " + number, fit);
      return fit;
    }

    /**
     * Replaces rows of a mode.
     *
     * @param alone the new ones only
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
