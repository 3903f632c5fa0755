package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ejml.data.DMatrixRMaj;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.OrthogonalIteration.Model;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.decomposition.rows.Sums;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Nonnegative Tucker decomposition {@code X ~ G x_0 A_0 x_1 A_1 ...} with {@code G >= 0} and {@code
 * A_n >= 0}, by hierarchical alternating least squares (Phan and Cichocki 2011, extended HALS):
 *
 * <pre>
 * for each mode n:  Y   = X x_m A_m^T over all m but n                    (TTMc)
 *                   M   = Y G_(n)^T,  V = G_(n) (A_m^T A_m (x) ...) G_(n)^T
 *                   A_n = 10 updates by HALS for M and V
 *                   G   = 10 passes of coordinate descent for C = Y x_n A_n^T
 * after the last:   fit = 1 - ||X - model|| / ||X||
 * </pre>
 *
 * <p>M and A_n are of mode size x R_n, and V is R_n x R_n. A sweep costs as much as one of {@link
 * OrthogonalIteration} and O(10 I R^2) for the rows. Columns of the result have norm 1. They are
 * not orthonormal, and G is not unique. The factors start from numbers in [0, 1), which the seed
 * determines, and the core from the best one for them that is not 0. Optima are local, and far from
 * unique.
 *
 * @param tolerance the run has converged if the fit changes by less between two sweeps
 */
public record NonnegativeTucker(
    Ranks ranks, int maxIterations, double tolerance, long seed, ValueType valueType)
    implements Resumable<Model> {
  private static final int UPDATES = 10;
  private static final long MODE_SEED = 0xD1B54A32D192ED03L;
  private static final String FACTOR = "factor";
  private static final String CORE = "core";
  private static final String GRAM = "gram";

  public NonnegativeTucker {
    Setting.require("tucker", maxIterations >= 1, "at least 1 iteration", maxIterations);
    Setting.require("tucker", tolerance >= 0, "a tolerance of at least 0", tolerance);
  }

  @Override
  public void checkOrder(int order) {
    ranks.checkOrder(order);
  }

  @Override
  public void check(TensorShape shape) {
    ranks.check(shape);
  }

  private RowAlgebra algebra() {
    return new RowAlgebra(valueType, valueType, 0);
  }

  @Override
  public Job job(TensorShape shape) {
    List<KernelRequest> kernels =
        Stream.concat(
                Stream.of(algebra().product(), algebra().cross(), algebra().gram()),
                algebra().hals().stream())
            .toList();
    return new Job("tucker", ranks.products(), kernels, maxIterations, valueType)
        .withTolerance(tolerance);
  }

  @Override
  public Memory memory(TensorShape shape) {
    return new OrthogonalIteration(
            ranks, OrthogonalIteration.Start.RANDOM, maxIterations, tolerance, seed, valueType)
        .memory(shape);
  }

  @Override
  public Model run(Site site, Observer observer, Checkpoints checkpoints) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    Sweeps sweeps = new Sweeps(maxIterations, tolerance, observer, checkpoints);
    return new Run(site, sweeps.start()).run(sweeps);
  }

  /** The factors, their Gram matrices and the core of one run. */
  private final class Run {
    private final Site site;
    private final int order = ranks.order();
    private final List<Rows> factors = new ArrayList<>();
    private final double[][] grams;
    private NonnegativeCore core;
    private double misfit;

    Run(Site site, Optional<MethodState<RowSource>> state) {
      this.site = site;
      if (state.isPresent()) {
        factors.addAll(MethodState.at(site, state.get(), FACTOR, valueType));
        grams = state.get().lists(GRAM);
        core = new NonnegativeCore(ranks.toArray(), state.get().numbers(CORE));
        return;
      }
      grams = new double[order][];
      for (int mode = 0; mode < order; mode++) {
        int rank = ranks.of(mode);
        factors.add(site.random(mode, rank, valueType, seed + mode * MODE_SEED));
        Step step = Step.of(mode, "start of mode " + mode).rows("A", factors.get(mode));
        grams[mode] = site.run(step.then(algebra().gram("S", "A", rank))).get("S");
      }
      Sums sums = site.run(product(0, "start of the core").then(cross(0)));
      core =
          NonnegativeCore.random(
              ranks.toArray(), seed, products(sums, 0), grams, site.normSquared());
    }

    Model run(Sweeps sweeps) {
      sweeps.run(
          site,
          this::sweep,
          () -> false,
          () ->
              new MethodState<Rows>()
                  .rows(FACTOR, factors)
                  .numbers(CORE, core.values())
                  .numbers(GRAM, grams));
      List<Factor> scaled = new ArrayList<>();
      NonnegativeCore weighted = core;
      for (int mode = 0; mode < order; mode++) {
        int rank = ranks.of(mode);
        double[] gram = grams[mode];
        double[] norms =
            IntStream.range(0, rank).mapToDouble(r -> Math.sqrt(gram[r * rank + r])).toArray();
        double[] inverse = Arrays.stream(norms).map(norm -> norm > 0 ? 1 / norm : 0).toArray();
        scaled.add(new Factor(factors.get(mode), inverse));
        weighted = weighted.scaled(mode, norms);
      }
      return new Model(
          scaled, weighted.values(), sweeps.fits(), sweeps.seconds(), sweeps.converged());
    }

    private double sweep(int number) {
      for (int mode = 0; mode < order; mode++) {
        update(mode, number);
      }
      double norm = site.normSquared();
      double fit = norm == 0 ? 1 : 1 - Math.sqrt(Math.max(0, norm + misfit) / norm);
      Sweeps.requireFinite("the fit after iteration " + number, fit, site, factors);
      return fit;
    }

    private Step product(int mode, String about) {
      return Step.of(mode, about).product("Y", mode, factors).rows("A", factors.get(mode));
    }

    private RowOperation cross(int mode) {
      int columns = Math.toIntExact(ranks.columns(mode));
      return algebra().cross("C", "A", ranks.of(mode), "Y", columns);
    }

    /** C in the order of the core's numbers. */
    private double[] products(Sums sums, int mode) {
      int columns = Math.toIntExact(ranks.columns(mode));
      return NonnegativeCore.folded(ranks.toArray(), sums.matrix("C", columns), mode);
    }

    /** M is divided by V's diagonal, so that it has the unit of the factor. */
    private void update(int mode, int sweep) {
      int rank = ranks.of(mode);
      DMatrixRMaj v = core.normal(mode, grams);
      double[] diagonal = IntStream.range(0, rank).mapToDouble(r -> v.get(r, r)).toArray();
      double[] ones = new double[rank];
      Arrays.fill(ones, 1);
      RowOperation hals = algebra().hals("A", "M", ones, diagonal, v.data);
      try (Rows m = site.rows(mode, rank, valueType)) {
        Step step =
            product(mode, "products of mode " + mode + ", iteration " + sweep)
                .rows("M", m)
                .small("P", core.divided(mode, diagonal))
                .then(algebra().product("M", "Y", "P"));
        Collections.nCopies(UPDATES, hals).forEach(step::then);
        Sums sums = site.run(step.then(algebra().gram("S", "A", rank)).then(cross(mode)));
        grams[mode] = sums.get("S");
        double[] c = products(sums, mode);
        core = core.improved(c, grams);
        misfit = core.misfit(c, grams);
      }
    }
  }
}
