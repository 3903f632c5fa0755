package org.weft.decomposition.gcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.Method;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.loss.Loss;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.Site;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Generalised CP decomposition (Hong, Kolda and Duersch 2020; Kolda and Hong 2020): the model M for
 * which the sum of {@code w f(x, m)} over the entries of the tensor is least. Zeros count that are
 * stored: all cells, or a sample of them whose weight w makes up for the others. The gradient is an
 * MTTKRP:
 *
 * <pre>
 * G_n = Y_(n) (A_N (.) ... (.) A_1) over all m but n,  y = w df/dm
 * </pre>
 *
 * <p>A sample of zeros is that of the tensor, drawn once for a run: losses of different iterations
 * are those of the same cells, and can be compared. Nothing is drawn anew, neither for gradients
 * nor for the loss.
 *
 * <p>All factors are at least 0 for a loss whose m may not be negative. The initial factors give
 * the model about the mean of the entries, or about their squares' mean.
 *
 * @param maxIterations of {@code inner} steps each
 * @param rate of Adam, relative to the numbers of the initial factors
 * @param tolerance converged when the loss falls by less, relative; 0 runs every iteration
 * @param zeroWeight w of entries that are 0
 */
public record Gcp(
    int rank,
    Loss loss,
    Optimizer optimizer,
    int maxIterations,
    int inner,
    double rate,
    double tolerance,
    double zeroWeight,
    long seed,
    ValueType valueType)
    implements Method<Gcp.Model> {
  /** How the loss is lowered. */
  public enum Optimizer {
    /** Steps along moving averages of gradients: {@link AdamDescent}. */
    ADAM,
    /** Quasi-Newton steps with a search along each: {@link LbfgsDescent}. */
    LBFGS
  }

  /**
   * What a run ends with.
   *
   * @param factors mode size x R, columns of norm 1
   * @param losses after each iteration
   * @param failures iterations of Adam, or searches of L-BFGS, that were taken back
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Model(
      List<Factor> factors,
      double[] lambda,
      List<Double> losses,
      List<Double> seconds,
      int failures,
      boolean converged) {}

  public Gcp {
    if (rank < 1 || maxIterations < 1 || inner < 1 || !(rate > 0) || !(tolerance >= 0)) {
      throw new WeftException(
          ErrorCode.USAGE,
          String.format(
              Locale.ROOT,
              "gcp: expected a rank, iterations and inner steps of at least 1, a rate above 0 and a"
                  + " tolerance of at least 0; found %d, %d, %d, %s and %s",
              rank,
              maxIterations,
              inner,
              rate,
              tolerance));
    }
  }

  @Override
  public String measure() {
    return "minus the loss";
  }

  @Override
  public void check(TensorShape shape) {
    if (shape.order() < 2) {
      throw new WeftException(
          ErrorCode.USAGE, "gcp: expected a tensor of at least 2 modes, found 1");
    }
  }

  @Override
  public Job job(TensorShape shape) {
    List<RowStatement> statements = new ArrayList<>();
    RowStatement.Entry slope = new RowStatement.Entry(weighted(loss.derivative()), rank);
    for (int mode = 0; mode < shape.order(); mode++) {
      statements.add(RowStatement.mttkrp(shape.order(), mode, rank).with("gradient", slope));
    }
    statements.add(RowStatement.sums("loss", 0, rank, weighted(loss.formula())));
    statements.add(RowStatement.sums("total", 0, 0, "x"));
    statements.add(RowStatement.sums("count", 0, 0, "1"));
    List<KernelRequest> algebra = List.of(RowAlgebra.of(rank, valueType).copy());
    return new Job("gcp", statements, algebra, maxIterations * inner, valueType)
        .withTolerance(tolerance);
  }

  /** Entries that are 0 have a weight: the language has no test, and this is 0 for 0 and 1 else. */
  private String weighted(String value) {
    String present = "min(1, abs(x) * 1e300)";
    return zeroWeight == 1
        ? value
        : "(" + zeroWeight + " + " + (1 - zeroWeight) + " * " + present + ") * (" + value + ")";
  }

  @Override
  public Memory memory(TensorShape shape) {
    double rows = IntStream.range(0, shape.order()).mapToLong(shape::size).sum();
    return new Memory(
        (optimizer == Optimizer.ADAM ? 5 : 6 + 2 * LimitedMemory.PAIRS)
            * (rows * rank * valueType.bytes()),
        String.format(
            Locale.ROOT,
            "factors, gradients and what steps keep, of %,.0f rows of %d numbers; give a lower"
                + " --rank",
            rows,
            rank));
  }

  @Override
  public Model run(Site site, Observer observer) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    LossModel model = new LossModel(site, loss, rank, seed, valueType);
    Descent descent =
        optimizer == Optimizer.ADAM
            ? new AdamDescent(model, inner, rate)
            : new LbfgsDescent(model, inner);
    Sweeps sweeps = new Sweeps(maxIterations, 0, observer);
    List<Double> losses = new ArrayList<>();
    boolean converged = false;
    while (!sweeps.ended() && !converged) {
      int failures = descent.failures();
      sweeps.run(
          number -> {
            losses.add(descent.iteration(number));
            return -losses.get(number - 1);
          });
      boolean lowered = descent.failures() == failures;
      converged = descent.ended() || (lowered && fellLittle(losses));
    }
    CpFactors.Normalised found = CpFactors.Normalised.of(site, model.factors());
    return new Model(
        found.factors(), found.lambda(), losses, sweeps.seconds(), descent.failures(), converged);
  }

  private boolean fellLittle(List<Double> losses) {
    int last = losses.size() - 1;
    double now = losses.get(last);
    return last > 0 && losses.get(last - 1) - now < tolerance * Math.abs(now);
  }
}
