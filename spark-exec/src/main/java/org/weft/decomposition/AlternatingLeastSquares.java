package org.weft.decomposition;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;

/**
 * CP decomposition {@code X ~ sum_r lambda_r a_r o b_r o ...} by alternating least squares (Kolda
 * and Bader 2009, figure 3.3), or with nonnegative factors by hierarchical alternating least
 * squares ({@link Hals}):
 *
 * <pre>
 * for each mode n:  M = X_(n) (A_N (.) ... (.) A_1) over all m but n      (MTTKRP)
 *                   V = the Hadamard product of A_m^T A_m over all m but n
 *                   A_n = M V^-1, lambda_r = ||a_r||, a_r = a_r / lambda_r
 * after the last:   fit = 1 - ||X - model|| / ||X||
 * </pre>
 *
 * <p>A column that vanished keeps zeros and lambda 0. The fit comes from the last MTTKRP of the
 * sweep: {@code ||X - model||^2 = ||X||^2 - 2 <X, model> + ||model||^2}, never forming the
 * residual. The fit of an all-zero tensor is 1 where the model is zero. Initial factors are uniform
 * in [0, 1), a function of seed, mode and row.
 *
 * <p>Columns are not divided by their norms, which would read and write a factor once more: a
 * factor is {@code A diag(scale)} for the stored A, and the scales of the other factors go into the
 * R x R matrix that the next MTTKRP is multiplied by. That matrix is also divided by the norms of
 * the sweep before, which keeps A near 2-norm 1.
 *
 * @param run where it starts, and what it leaves on its way
 */
public record AlternatingLeastSquares(Cpd cpd, CpRun run)
    implements Method<AlternatingLeastSquares.Model> {

  /** What a run ends with: factors with unit columns, lambda, fit and seconds of each sweep. */
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
    return Memory.PLANNED;
  }

  @Override
  public Model run(Site site, Observer observer) {
    return new Sweep(site).run(observer);
  }

  /** The factors and all that is R x R. */
  private final class Sweep {
    private final Site site;
    private final int order;
    private final int rank = cpd.rank();
    private final Rows[] factors;
    private final double[][] scales;
    private final double[][] norms;
    private final DMatrixRMaj[] grams;
    private double[] lambda;
    private double inner;

    Sweep(Site site) {
      this.site = site;
      this.order = site.shape().order();
      Sweeps.requireFinite("the sum of the squares of the tensor's values", site.normSquared());
      factors = new Rows[order];
      for (int mode = 0; mode < order; mode++) {
        factors[mode] =
            run.start().isPresent()
                ? site.given(mode, run.start().get().factors().get(mode), cpd.valueType())
                : site.random(mode, rank, cpd.valueType(), cpd.seed(mode));
      }
      double norm =
          Math.sqrt(site.normSquared()); // about what columns will have in the first sweep
      scales = run.start().map(state -> copy(state.scales())).orElseGet(() -> all(1));
      norms = run.start().map(state -> copy(state.norms())).orElseGet(() -> all(norm));
      lambda = run.start().map(state -> state.lambda().clone()).orElseGet(this::ones);
      double[][] known = run.start().map(CpState::grams).orElse(new double[0][]);
      grams = new DMatrixRMaj[order];
      for (int mode = 0; mode < order; mode++) {
        grams[mode] =
            mode < known.length
                ? new DMatrixRMaj(rank, rank, true, known[mode].clone())
                : mode == 0
                    ? new DMatrixRMaj(rank, rank) // not read before its update
                    : scaled(gram(mode), scales[mode]);
      }
    }

    Model run(Observer observer) {
      Sweeps sweeps =
          new Sweeps(
              cpd.maxIterations(),
              cpd.tolerance(),
              observer,
              run.start().map(CpState::fits).orElse(List.of()),
              run.start().map(CpState::seconds).orElse(List.of()));
      while (!sweeps.ended()) {
        sweeps.run(this::sweep);
        run.checkpoints().after(sweeps.count(), sweeps.ended(), () -> state(sweeps));
      }
      return new Model(
          IntStream.range(0, order)
              .mapToObj(mode -> new Factor(factors[mode], scales[mode].clone()))
              .toList(),
          lambda.clone(),
          sweeps.fits(),
          sweeps.seconds(),
          sweeps.converged());
    }

    private double sweep(int number) {
      for (int mode = 0; mode < order; mode++) {
        update(mode, number);
      }
      double fit = fit();
      Sweeps.requireFinite("the fit after iteration " + number, fit);
      return fit;
    }

    /** Replaces a factor by the solution of its least-squares problem. */
    private void update(int mode, int sweep) {
      boolean last = mode == order - 1;
      double[] others = ones();
      for (int m = 0; m < order; m++) {
        for (int r = 0; m != mode && r < rank; r++) {
          others[r] *= scales[m][r];
        }
      }
      double[] guess = cpd.nonnegative() ? ones() : guess(mode);
      Step step =
          Step.of(mode, "factor " + mode + ", rank " + rank + ", iteration " + sweep)
              .product("M", mode, List.of(factors))
              .rows("A", factors[mode]);
      solve(step, mode, others, guess).then(cpd.algebra().gram("G", "A", rank));
      Sums sums = site.run(last ? step.then(cpd.algebra().inner("d", "M", "A", rank)) : step);
      double[] gram = sums.get("G");
      for (int r = 0; r < rank; r++) {
        double norm = Math.sqrt(gram[r * rank + r]);
        norms[mode][r] = norm * guess[r];
        scales[mode][r] = norm > 0 ? 1 / norm : 0;
      }
      lambda = norms[mode].clone();
      grams[mode] = scaled(gram, scales[mode]);
      inner = last ? inner(sums.get("d"), others, scales[mode]) : 0;
    }

    /** {@code A = M V^-1}, or a step towards it that keeps A nonnegative. */
    private Step solve(Step step, int mode, double[] others, double[] guess) {
      DMatrixRMaj v = hadamard(mode);
      if (cpd.nonnegative()) {
        double[] weights = scales[mode].clone();
        for (int r = 0; r < rank; r++) {
          weights[r] *= lambda[r];
        }
        return step.then(RowOperation.each(new Hals(weights, others, v.data), "A", "M"));
      }
      DMatrixRMaj inverse = new NormalEquations(v).inverse();
      DMatrixRMaj product = new DMatrixRMaj(rank, rank);
      for (int s = 0; s < rank; s++) {
        for (int r = 0; r < rank; r++) {
          product.set(s, r, others[s] * inverse.get(s, r) / guess[r]);
        }
      }
      return step.small("P", product).then(cpd.algebra().product("A", "M", "P"));
    }

    /** The norms that the columns will have, about: those of the sweep before. */
    private double[] guess(int mode) {
      double[] guess = norms[mode].clone();
      for (int r = 0; r < rank; r++) {
        guess[r] = guess[r] > 0 && 1 / guess[r] > 0 && Double.isFinite(guess[r]) ? guess[r] : 1;
      }
      return guess;
    }

    /** {@code <X, model> = sum_r lambda_r sum_i M(i,r) A(i,r)}. */
    private double inner(double[] sums, double[] others, double[] scale) {
      double all = 0;
      for (int r = 0; r < rank; r++) {
        all += lambda[r] * others[r] * scale[r] * sums[r];
      }
      return all;
    }

    private double fit() {
      double normSquared = site.normSquared();
      DMatrixRMaj all = hadamard(-1);
      double model = 0;
      for (int r = 0; r < rank; r++) {
        for (int s = 0; s < rank; s++) {
          model += lambda[r] * all.get(r, s) * lambda[s];
        }
      }
      double residual = Math.sqrt(Math.max(0, normSquared - 2 * inner + model));
      if (normSquared == 0) {
        return model <= Double.MIN_NORMAL ? 1 : 0;
      }
      return 1 - residual / Math.sqrt(normSquared);
    }

    /** The Hadamard product of all Gram matrices but that of {@code except} (-1: of all). */
    private DMatrixRMaj hadamard(int except) {
      DMatrixRMaj product = new DMatrixRMaj(rank, rank);
      product.fill(1);
      for (int mode = 0; mode < order; mode++) {
        for (int i = 0; mode != except && i < product.data.length; i++) {
          product.data[i] *= grams[mode].data[i];
        }
      }
      return product;
    }

    private double[] gram(int mode) {
      Step step = Step.of(mode, "norms of factor " + mode).rows("A", factors[mode]);
      return site.run(step.then(cpd.algebra().gram("G", "A", rank))).get("G");
    }

    private DMatrixRMaj scaled(double[] gram, double[] scale) {
      DMatrixRMaj scaled = new DMatrixRMaj(rank, rank);
      for (int r = 0; r < rank; r++) {
        for (int s = 0; s < rank; s++) {
          scaled.set(r, s, gram[r * rank + s] * scale[r] * scale[s]);
        }
      }
      return scaled;
    }

    /** What the next update depends on. */
    private CpState state(Sweeps sweeps) {
      return new CpState(
          Arrays.stream(factors).map(site::collect).toList(),
          copy(scales),
          copy(norms),
          Arrays.stream(grams).map(gram -> gram.data.clone()).toArray(double[][]::new),
          lambda.clone(),
          sweeps.fits(),
          sweeps.seconds());
    }

    private double[][] all(double value) {
      double[][] all = new double[order][rank];
      Arrays.stream(all).forEach(each -> Arrays.fill(each, value));
      return all;
    }

    private double[] ones() {
      double[] ones = new double[rank];
      Arrays.fill(ones, 1);
      return ones;
    }
  }

  private static double[][] copy(double[][] rows) {
    return Arrays.stream(rows).map(double[]::clone).toArray(double[][]::new);
  }
}
