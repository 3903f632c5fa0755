package org.weft.decomposition;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.NormOps_DDRM;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Tucker decomposition {@code X ~ G x_0 U_0 x_1 U_1 ...} with orthonormal factors, by higher-order
 * orthogonal iteration (De Lathauwer, De Moor and Vandewalle 2000, algorithm 4.2; Kolda and Bader
 * 2009, figure 4.4):
 *
 * <pre>
 * for each mode n:  Y = X x_m U_m^T over all m but n      (TTMc: a row for each slice of n)
 *                   U_n = the R_n leading left singular vectors of Y
 * after the last:   G = U_n^T Y,  fit = 1 - sqrt(||X||^2 - ||G||^2) / ||X||
 * </pre>
 *
 * <p>U_n is of mode size x R_n, and G is R_0 x R_1 x .... Y has a row for each slice of mode n,
 * with as many columns as the product of the other ranks P, and costs O(nnz P). The run starts from
 * random samples of the tensor, which the seed determines ({@link SketchedStart}). It ends when the
 * fit changes by less than the tolerance. Factors are orthonormal to 1e-12 and in double precision.
 * The tensor, Y and the copies of the factors that TTMc reads have the job's type.
 *
 * @param ranks R_n of each mode
 * @param start what the first sweep starts from
 * @param maxIterations most sweeps over all modes
 * @param tolerance the run has converged if the fit changes by less between two sweeps; 0 runs
 *     every sweep
 * @param seed of the start
 * @param valueType type of the tensor's values and of Y
 */
public record OrthogonalIteration(
    Ranks ranks, Start start, int maxIterations, double tolerance, long seed, ValueType valueType)
    implements Resumable<OrthogonalIteration.Model> {
  private static final String FACTOR = "factor";
  private static final String CORE = "core";

  /**
   * The model that a run ends with.
   *
   * @param factors a matrix of mode size x R_n for each mode, with orthonormal columns; the rows
   *     lie at the site
   * @param core G, row-major
   * @param fits the fit after each sweep
   * @param seconds time of each sweep
   * @param converged whether the tolerance ended the run
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Model(
      List<Factor> factors,
      double[] core,
      List<Double> fits,
      List<Double> seconds,
      boolean converged) {}

  /** What the first sweep starts from. */
  public enum Start {
    /** The truncated singular vectors of {@link SketchedStart}. */
    STHOSVD,
    /** Random orthonormal factors. */
    RANDOM
  }

  public OrthogonalIteration {
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

  @Override
  public Job job(TensorShape shape) {
    List<KernelRequest> algebra =
        Stream.concat(Basis.algebra(valueType).stream(), sketch().algebra()).distinct().toList();
    return new Job("tucker", ranks.products(), algebra, maxIterations, valueType)
        .beginning(start == Start.RANDOM ? List.of() : sketch().statements())
        .withTolerance(tolerance);
  }

  @Override
  public Memory memory(TensorShape shape) {
    double most = 0;
    double factors = 0;
    String largest = "";
    for (int mode = 0; mode < ranks.order(); mode++) {
      double rows = shape.size(mode);
      long columns = ranks.columns(mode);
      int width = Basis.width(shape.size(mode), columns, ranks.of(mode));
      double bytes = rows * columns * valueType.bytes() + 2 * rows * width * Double.BYTES;
      factors += rows * ranks.of(mode) * (Double.BYTES + valueType.bytes());
      if (bytes > most) {
        most = bytes;
        largest = ranks.about(mode, shape, valueType);
      }
    }
    double sketch = start == Start.STHOSVD ? sketch().bytes(shape) : 0;
    return new Memory(Math.max(most, sketch) + factors, largest);
  }

  @Override
  public Model run(Site site, Observer observer, Checkpoints checkpoints) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    Sweeps sweeps = new Sweeps(maxIterations, tolerance, observer, checkpoints);
    return new Run(site, sweeps.start()).run(sweeps);
  }

  private SketchedStart sketch() {
    return new SketchedStart(ranks, valueType, seed);
  }

  /** The factors and the core of one run. */
  private final class Run {
    private final Site site;
    private final int order = ranks.order();
    private final RoundedFactors factors;
    private DMatrixRMaj core = new DMatrixRMaj(0, 0);

    Run(Site site, Optional<MethodState<RowSource>> state) {
      this.site = site;
      this.factors = new RoundedFactors(site, valueType, order);
      if (state.isEmpty() && start == Start.STHOSVD) {
        sketch().run(site, factors);
      }
      for (int mode = 0; mode < order && state.isEmpty() && start == Start.RANDOM; mode++) {
        factors.replace(mode, basis(mode).random(ranks.of(mode)));
      }
      state.ifPresent(
          saved -> {
            MethodState.at(site, saved, FACTOR, ValueType.DOUBLE)
                .forEach(rows -> factors.replace(rows.mode(), rows));
            double[] numbers = saved.numbers(CORE);
            int last = ranks.of(order - 1);
            core = DMatrixRMaj.wrap(last, numbers.length / last, numbers);
          });
    }

    Model run(Sweeps sweeps) {
      sweeps.run(
          site,
          this::sweep,
          () -> false,
          () -> new MethodState<Rows>().rows(FACTOR, factors.exact()).numbers(CORE, core.data));
      return new Model(
          factors.exact().stream().map(Factor::of).toList(),
          CommonOps_DDRM.transpose(core, null).data, // the last mode is the fastest
          sweeps.fits(),
          sweeps.seconds(),
          sweeps.converged());
    }

    private double sweep(int number) {
      for (int mode = 0; mode < order; mode++) {
        update(mode, number);
      }
      double norm = site.normSquared();
      double left = Math.max(0, norm - Math.pow(NormOps_DDRM.normF(core), 2));
      return norm == 0 ? 1 : 1 - Math.sqrt(left / norm);
    }

    private void update(int mode, int sweep) {
      int columns = Math.toIntExact(ranks.columns(mode));
      try (Rows y = site.rows(mode, columns, valueType)) {
        Step step =
            Step.of(mode, "products of mode " + mode + ", iteration " + sweep)
                .product("Y", mode, factors.rounded());
        factors.replace(mode, basis(mode).leading(step, y, ranks.of(mode), sweep));
        if (mode == order - 1) {
          core = basis(mode).cross(factors.exact().get(mode), y, "core");
        }
      }
    }

    private Basis basis(int mode) {
      return new Basis(site, mode, valueType, seed);
    }
  }
}
