package org.weft.decomposition.cp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.Resumable;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.Admm;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.Hals;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.decomposition.rows.Sums;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;

/**
 * CP decomposition {@code X ~ sum_r lambda_r a_r o b_r o ...} by alternating least squares (Kolda
 * and Bader 2009, figure 3.3), with nonnegative factors by hierarchical alternating least squares
 * ({@link Hals}), or with constraints on some modes by ADMM ({@link Admm}) and smoothing ({@link
 * SmoothUpdate}):
 *
 * <pre>
 * for each mode n:  M = X_(n) (A_N (.) ... (.) A_1) over all m but n      (MTTKRP)
 *                   V = the Hadamard product of A_m^T A_m over all m but n
 *                   A_n = M V^-1, lambda_r = ||a_r||, a_r = a_r / lambda_r
 * after the last:   fit = 1 - ||X - model|| / ||X||
 * </pre>
 *
 * <p>M and A_n are of mode size x R, and V is R x R. An update costs O(nnz R) for the MTTKRP and
 * O(I R^2) for the rows. The residual is never formed: the fit comes from the last MTTKRP of the
 * sweep by {@code ||X - model||^2 = ||X||^2 - 2 <X, model> + ||model||^2}. The fit of an all-zero
 * tensor is 1 if the model is zero. Neighbouring modes may share an MTTKRP's products ({@link
 * Mttkrps}). A column that became zero stays zero, and its lambda is 0. The initial factors are
 * uniform in [0, 1) and depend on seed, mode and row alone. HALS, which goes on from them, takes
 * them in the unit of the tensor ({@link Site#unit}).
 *
 * <p>A constraint applies to {@code A_n} with the weights, while the other factors have unit
 * columns. If a constraint fixes the scale of a mode's columns, this factor cannot have the
 * weights: they go into V and M, and its columns are not normalised. A ridge is relative to the
 * mean of V's diagonal.
 *
 * @param cpd the decomposition that is wanted
 */
public record AlternatingLeastSquares(Cpd cpd) implements Resumable<AlternatingLeastSquares.Model> {

  /**
   * The model that a run ends with.
   *
   * @param factors a matrix of mode size x R for each mode, with columns of 2-norm 1
   * @param lambda the weight of each component
   * @param fits the fit after each sweep
   * @param seconds time of each sweep
   * @param converged whether the tolerance ended the run
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Model(
      List<Factor> factors,
      double[] lambda,
      List<Double> fits,
      List<Double> seconds,
      boolean converged) {}

  @Override
  public void check(TensorShape shape) {
    cpd.job(shape);
  }

  @Override
  public Job job(TensorShape shape) {
    return cpd.job(shape);
  }

  @Override
  public Memory memory(TensorShape shape) {
    return cpd.memory(shape);
  }

  @Override
  public Model run(Site site, Observer observer, Checkpoints checkpoints) {
    Sweeps sweeps = new Sweeps(cpd.maxIterations(), cpd.tolerance(), observer, checkpoints);
    return new Run(site, sweeps.start().map(CpState::of)).run(sweeps);
  }

  /** The factors and weights of one run. */
  private final class Run {
    private final Site site;
    private final int order;
    private final int rank = cpd.rank();
    private final List<Rows> factors = new ArrayList<>();
    private final List<FactorUpdate> updates = new ArrayList<>();
    private final CpWeights weights;
    private final Mttkrps mttkrps;
    private double inner;

    Run(Site site, Optional<CpState> start) {
      this.site = site;
      this.order = site.shape().order();
      this.mttkrps = new Mttkrps(site, cpd.algebra());
      Sweeps.requireFinite("the sum of the squares of the tensor's values", site.normSquared());
      Deque<RowSource> duals = new ArrayDeque<>(start.map(CpState::duals).orElse(List.of()));
      for (int mode = 0; mode < order; mode++) {
        factors.add(
            start.isPresent()
                ? site.given(mode, start.get().factors().get(mode), cpd.valueType())
                : site.random(mode, rank, cpd.valueType(), cpd.seed(mode)));
        updates.add(cpd.update(site, mode, duals));
      }
      double norm = Math.sqrt(site.normSquared());
      weights = new CpWeights(order, rank, norm, site.unit(), start);
      int known = start.map(state -> state.grams().length).orElse(0);
      // Without constraints the first Gram matrix is not read before its update.
      for (int mode = cpd.constraints().isEmpty() ? 1 : 0; mode < order && known == 0; mode++) {
        weights.gram(mode, gram(mode));
      }
      if (!cpd.constraints().isEmpty() && start.isEmpty()) {
        weights.fill(norm);
      }
    }

    Model run(Sweeps sweeps) {
      sweeps.run(site, this::sweep, () -> false, this::state);
      return new Model(
          factors.stream().map(a -> new Factor(a, weights.scale(a.mode()))).toList(),
          weights.lambda(),
          sweeps.fits(),
          sweeps.seconds(),
          sweeps.converged());
    }

    private MethodState<Rows> state() {
      List<Rows> duals = updates.stream().flatMap(update -> update.state().stream()).toList();
      return CpState.live(factors, duals, weights);
    }

    private double sweep(int number) {
      for (int mode = 0; mode < order; mode++) {
        update(mode, number);
      }
      double fit = weights.fit(site.normSquared(), inner);
      Sweeps.requireFinite(
          "the fit after iteration " + number, fit, site, factors, cpd.whyNotFinite());
      return fit;
    }

    private void update(int mode, int sweep) {
      boolean last = mode == order - 1;
      FactorUpdate update = updates.get(mode);
      double[] divisor = cpd.fixesScale(mode) ? weights.ones() : weights.guess(mode);
      FactorUpdate.Problem problem = problem(mode, sweep, divisor);
      Step step = update.step(problem).then(cpd.algebra().gram("G", "A", rank));
      Sums sums = site.run(last ? step.then(cpd.algebra().inner("d", "M", "A", rank)) : step);
      if (cpd.fixesScale(mode)) {
        weights.unweighted(mode, sums.get("G"));
      } else {
        weights.weighted(mode, sums.get("G"), divisor);
      }
      if (last) {
        inner = weights.inner(mode, sums.get("d"), problem.others(), !cpd.fixesScale(mode));
      }
    }

    /** The least-squares problem of a mode. Its factor gets the weights if it can have them. */
    private FactorUpdate.Problem problem(int mode, int sweep, double[] divisor) {
      double[] lambda = weights.lambda();
      double[] others = weights.others(mode);
      DMatrixRMaj v = weights.hadamard(mode);
      double[] present = weights.scale(mode);
      if (cpd.fixesScale(mode)) {
        CommonOps_DDRM.multCols(v, lambda);
        CommonOps_DDRM.multRows(lambda, v);
        Arrays.setAll(others, r -> others[r] * lambda[r]);
      } else {
        Arrays.setAll(present, r -> present[r] * lambda[r]);
      }
      cpd.addRidge(v);
      String about = "factor " + mode + ", rank " + rank + ", iteration " + sweep;
      return new FactorUpdate.Problem(mode, about, mttkrps, factors, v, others, present, divisor);
    }

    private double[] gram(int mode) {
      Step step = Step.of(mode, "norms of factor " + mode).rows("A", factors.get(mode));
      return site.run(step.then(cpd.algebra().gram("G", "A", rank))).get("G");
    }
  }
}
