package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.weft.decomposition.loss.Loss;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Generalised CP decomposition (Hong, Kolda and Duersch 2020; Kolda and Hong 2020): the model M for
 * which the sum of {@code w f(x, m)} over the entries of the tensor is least, by Adam (Kingma and
 * Ba 2015, algorithm 1). Zeros count that are stored: all cells, or a sample of them whose weight w
 * makes up for the others.
 *
 * <pre>
 * each step, each mode n:  G_n = Y_(n) (A_N (.) ... (.) A_1) over all m but n,  y = w df/dm
 *   then:                  B = 0.9 B + 0.1 G,  C = 0.999 C + 0.001 G * G
 *                          A = max(lower, A - rate B / (1 - 0.9^t) / sqrt(C / (1 - 0.999^t)))
 * after {@code inner} steps:  a greater loss restores A, begins B and C anew, rate = rate / 10
 * </pre>
 *
 * <p>The lower bound is 0 for a loss whose m may not be negative. The rate is relative to the
 * numbers of the initial factors, which give the model about the mean of the entries, or about
 * their squares' mean.
 *
 * @param maxIterations of {@code inner} steps each
 * @param tolerance converged when the loss falls by less, relative; 0 runs every iteration
 * @param zeroWeight w of entries that are 0
 */
public record Gcp(
    int rank,
    Loss loss,
    int maxIterations,
    int inner,
    double rate,
    double tolerance,
    double zeroWeight,
    long seed,
    ValueType valueType)
    implements Method<Gcp.Model> {
  private static final double DECAY = 0.1;
  private static final int MOST_FAILURES = 3;

  /**
   * What a run ends with.
   *
   * @param factors mode size x R, columns of norm 1
   * @param losses after each iteration
   * @param failures iterations that were taken back
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
          ErrorCode.USAGE, "gcp: expected a tensor of at least 2 modes, found " + shape);
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
    return new Job("gcp", statements, List.of(algebra().copy()), maxIterations * inner, valueType)
        .withTolerance(tolerance);
  }

  /** Entries that are 0 have a weight: the language has no test, and this is 0 for 0 and 1 else. */
  private String weighted(String value) {
    String present = "min(1, abs(x) * 1e300)";
    return zeroWeight == 1
        ? value
        : "(" + zeroWeight + " + " + (1 - zeroWeight) + " * " + present + ") * (" + value + ")";
  }

  private RowAlgebra algebra() {
    return RowAlgebra.of(rank, valueType);
  }

  @Override
  public Memory memory(TensorShape shape) {
    double rows = IntStream.range(0, shape.order()).mapToLong(shape::size).sum();
    return new Memory(
        5 * rows * rank * valueType.bytes(),
        String.format(
            Locale.ROOT,
            "factors, moments and gradients of %,.0f rows of %d numbers; give a lower --rank",
            rows,
            rank));
  }

  @Override
  public Model run(Site site, Observer observer) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    return new Run(site).run(observer);
  }

  /**
   * A step of Adam for a row.
   *
   * @param first what the first moment is divided by
   * @param second what the second moment is divided by
   */
  private record Adam(double rate, double first, double second, double lower) implements RowRule {
    /** Of A, then of the moments, then of the gradient. */
    @Override
    public void apply(double[][] rows, double[] sums) {
      for (int r = 0; r < rows[0].length; r++) {
        double slope = rows[3][r];
        rows[1][r] = 0.9 * rows[1][r] + 0.1 * slope;
        rows[2][r] = 0.999 * rows[2][r] + 0.001 * slope * slope;
        double root = Math.sqrt(rows[2][r] / second) + Double.MIN_NORMAL;
        rows[0][r] = Math.max(lower, rows[0][r] - rate * rows[1][r] / first / root);
      }
    }
  }

  private static final RowRule ZEROS = (rows, sums) -> Arrays.fill(rows[0], 0);

  /** Factors, moments and gradients of one run. */
  private final class Run {
    private final Site site;
    private final int order;
    private final double width;
    private final CpFactors factors;
    private final List<Rows> kept = new ArrayList<>();
    private final List<Rows> first = new ArrayList<>();
    private final List<Rows> second = new ArrayList<>();
    private final List<Rows> gradients = new ArrayList<>();
    private double least = Double.POSITIVE_INFINITY;
    private double step;
    private int steps;
    private int failures;
    private boolean converged;

    Run(Site site) {
      this.site = site;
      this.order = site.shape().order();
      this.width = width();
      this.step = rate * width;
      double from = loss.nonnegative() ? 0 : -0.5;
      double factor = width; // what travels is numbers
      RowRule start = (rows, sums) -> Arrays.setAll(rows[0], r -> factor * (rows[0][r] + from));
      this.factors = new CpFactors(site, rank, seed, valueType, mode -> start);
      for (int mode = 0; mode < order; mode++) {
        kept.add(site.rows(mode, rank, valueType));
        gradients.add(site.rows(mode, rank, valueType));
        for (List<Rows> moments : List.of(first, second)) {
          moments.add(site.random(mode, rank, valueType, 0));
        }
      }
      forgetMoments();
      keep(kept, factors.matrices());
    }

    /** Of random numbers, so that products of columns are about as large as the entries. */
    private double width() {
      double entries = Math.max(1, sum(order + 2, List.of()));
      if (loss.data() == Loss.Data.BITS && !loss.nonnegative()) {
        return 2 * Math.sqrt(3) * Math.pow(1.0 / rank, 1.0 / (2 * order));
      }
      double squares = site.normSquared() / entries;
      double mean = Math.abs(sum(order + 1, List.of())) / entries;
      double width =
          loss.nonnegative()
              ? 2 * Math.pow(mean / rank, 1.0 / order)
              : 2 * Math.sqrt(3) * Math.pow(squares / rank, 1.0 / (2 * order));
      return width > 0 ? width : 1;
    }

    private double sum(int statement, List<Rows> matrices) {
      return ModelError.sum(site, statement, matrices);
    }

    private void forgetMoments() {
      steps = 0;
      for (int mode = 0; mode < order; mode++) {
        for (List<Rows> moments : List.of(first, second)) {
          Step zeros = Step.of(mode, "moments of mode " + mode).rows("Z", moments.get(mode));
          site.run(zeros.then(RowOperation.each(ZEROS, "Z")));
        }
      }
    }

    private void keep(List<Rows> into, List<Rows> from) {
      for (int mode = 0; mode < order; mode++) {
        Step copy = Step.of(mode, "the best model").rows("K", into.get(mode));
        site.run(copy.rows("A", from.get(mode)).then(algebra().copy("K", "A")));
      }
    }

    Model run(Observer observer) {
      Sweeps sweeps = new Sweeps(maxIterations, 0, observer);
      while (!sweeps.ended() && !converged && failures < MOST_FAILURES) {
        sweeps.run(this::iteration);
      }
      CpFactors.Normalised model = CpFactors.Normalised.of(site, factors.matrices());
      return new Model(
          model.factors(),
          model.lambda(),
          sweeps.fits().stream().map(fit -> -fit).toList(),
          sweeps.seconds(),
          failures,
          converged || failures >= MOST_FAILURES);
    }

    private double iteration(int number) {
      for (int n = 0; n < inner; n++) {
        step(number);
      }
      double now = sum(order, factors.matrices());
      if (Double.isFinite(now) && now <= least) {
        converged = least - now < tolerance * Math.abs(now);
        least = now;
        keep(kept, factors.matrices());
      } else {
        if (least == Double.POSITIVE_INFINITY) {
          Sweeps.requireFinite("the loss after iteration " + number, now);
        }
        keep(factors.matrices(), kept);
        forgetMoments();
        failures++;
        step *= DECAY;
      }
      return -least;
    }

    private void step(int iteration) {
      steps++;
      for (int mode = 0; mode < order; mode++) {
        site.run(
            Step.of(mode, "gradient of mode " + mode + ", iteration " + iteration)
                .product("G", mode, factors.matrices())
                .rows("G", gradients.get(mode)));
      }
      Adam adam =
          new Adam(
              step,
              1 - Math.pow(0.9, steps),
              1 - Math.pow(0.999, steps),
              loss.nonnegative() ? 0 : Double.NEGATIVE_INFINITY);
      for (int mode = 0; mode < order; mode++) {
        site.run(
            Step.of(mode, "step of mode " + mode + ", iteration " + iteration)
                .rows("A", factors.of(mode))
                .rows("B", first.get(mode))
                .rows("C", second.get(mode))
                .rows("G", gradients.get(mode))
                .then(new RowOperation.Each(adam, List.of("A", "B", "C", "G"), 3, "", 0)));
      }
    }
  }
}
