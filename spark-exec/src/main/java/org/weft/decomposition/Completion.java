package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Tensor completion: a CP model of the entries that are known, by alternating least squares (Zhou
 * et al. 2008, section 3; Smith, Park and Karypis 2016, section 3.1). What is not stored is
 * missing, not zero:
 *
 * <pre>
 * for each mode n, each slice i:  h = the product of the rows of the other modes at an entry
 *                                 a_i = (sum h h^T + D)^-1 sum x h     (sums over the slice)
 * </pre>
 *
 * <p>D is {@code ridge} times what the diagonals of the sums are on average if entries lie
 * anywhere: relative to the data, whatever its scale, and felt most in slices with few entries.
 * With biases the model has a column for the mean, and one for each mode in which the rows of the
 * other modes are 1.
 *
 * <p>Algorithms of polynomial time are known to recover a model of rank R and modes of size n from
 * about {@code n^(3/2) R} entries (Jain and Oh 2014; Barak and Moitra 2016). This one finds local
 * optima, the more often the fewer entries there are: several starts help.
 *
 * <p>After each sweep the model is judged by held-out entries, or without them by those it is made
 * of. The best one is kept; {@code patience} sweeps without a better one end the run.
 *
 * @param rank columns beside those of biases
 * @param tolerance by which the error has to fall to be better, relative
 * @param heldOut the error at held-out entries
 */
public record Completion(
    int rank,
    boolean biases,
    int maxIterations,
    int patience,
    double tolerance,
    double ridge,
    long seed,
    ValueType valueType,
    Optional<ModelError> heldOut)
    implements Method<Completion.Model> {

  /**
   * What a run ends with: the best model.
   *
   * @param factors mode size x columns, of norm 1; their rows, not scaled, are the model
   * @param rmse of the training entries, after each iteration
   * @param heldOut the same of the held-out ones; empty without any
   * @param mean of the training entries
   * @param best iteration that the model is of, counts from 1
   * @param error of that iteration at the entries that decide
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Model(
      List<Factor> factors,
      double[] lambda,
      List<Double> rmse,
      List<Double> heldOut,
      List<Double> fits,
      List<Double> seconds,
      double mean,
      int best,
      double error,
      boolean converged) {
    /** The factors as {@link ModelError} reads them. */
    public List<Rows> rows() {
      return factors.stream().map(Factor::rows).toList();
    }
  }

  public Completion {
    if (rank < 1 || maxIterations < 1 || patience < 1 || !(tolerance >= 0) || !(ridge >= 0)) {
      throw new WeftException(
          ErrorCode.USAGE,
          String.format(
              Locale.ROOT,
              "complete: expected a rank, iterations and a patience of at least 1, a tolerance and"
                  + " a ridge of at least 0; found %d, %d, %d, %s and %s",
              rank,
              maxIterations,
              patience,
              tolerance,
              ridge));
    }
  }

  /** Columns of the factors of a model of so many modes. */
  public int columns(int order) {
    return rank + (biases ? order + 1 : 0);
  }

  @Override
  public void check(TensorShape shape) {
    if (shape.order() < 2) {
      throw new WeftException(
          ErrorCode.USAGE, "complete: expected a tensor of at least 2 modes, found " + shape);
    }
  }

  @Override
  public Job job(TensorShape shape) {
    int order = shape.order();
    List<RowStatement> statements = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      statements.add(RowStatement.mttkrp(order, mode, columns(order)));
      statements.add(RowStatement.normal(order, mode, columns(order)));
    }
    statements.addAll(ModelError.statements(columns(order)));
    statements.add(RowStatement.sums("total", 0, 0, "x"));
    return new Job(
        "complete", statements, List.of(algebra(order).copy()), maxIterations, valueType);
  }

  private RowAlgebra algebra(int order) {
    return RowAlgebra.of(columns(order), valueType);
  }

  @Override
  public Memory memory(TensorShape shape) {
    int columns = columns(shape.order());
    double most = IntStream.range(0, shape.order()).mapToLong(shape::size).max().orElse(0);
    double all = IntStream.range(0, shape.order()).mapToLong(shape::size).sum();
    double row = (double) columns * valueType.bytes();
    return new Memory(
        most * row * (1 + columns) + 2 * all * row,
        String.format(
            Locale.ROOT,
            "the normal equations of %,.0f slices, %,d numbers each; give a lower --rank%s",
            most,
            columns * columns,
            valueType == ValueType.DOUBLE ? " or --type float" : ""));
  }

  @Override
  public Model run(Site site, Observer observer) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    return new Run(site).run(observer);
  }

  /** Factors and sums of one run. */
  private final class Run {
    private final Site site;
    private final int order;
    private final int columns;
    private final ModelError training;
    private final double mean;
    private final CpFactors factors;
    private final BestModel best;
    private final double[][] squares;

    Run(Site site) {
      this.site = site;
      this.order = site.shape().order();
      this.columns = columns(order);
      this.training = new ModelError(site, 2 * order);
      long entries = Math.max(1, training.entries());
      this.mean = ModelError.sum(site, 2 * order + 2, List.of()) / entries;
      BiasedStart start = BiasedStart.of(rank, columns, order, biases ? mean : 0, training.scale());
      this.factors = new CpFactors(site, columns, seed, valueType, start::row);
      this.best = new BestModel(site, columns, valueType, training, heldOut, tolerance);
      this.squares = new double[order][];
      for (int mode = 0; mode < order; mode++) {
        squares[mode] = CpFactors.columns(site, factors.of(mode), CpFactors.SQUARES);
      }
    }

    Model run(Observer observer) {
      Sweeps sweeps = new Sweeps(maxIterations, 0, observer);
      while (!sweeps.ended() && sweeps.count() < best.iteration() + patience) {
        sweeps.run(
            sweep -> {
              IntStream.range(0, order).forEach(mode -> update(mode, sweep));
              return best.judge(sweep, factors.matrices());
            });
      }
      CpFactors.Normalised model = CpFactors.Normalised.of(site, best.factors());
      return new Model(
          model.factors(),
          model.lambda(),
          best.rmse(),
          best.heldOut(),
          sweeps.fits(),
          sweeps.seconds(),
          mean,
          best.iteration(),
          best.error(),
          sweeps.count() >= best.iteration() + patience);
    }

    private void update(int mode, int sweep) {
      int[] free = IntStream.range(0, columns).filter(c -> c < rank || c == rank + mode).toArray();
      String about = ", mode " + mode + ", iteration " + sweep;
      RidgeRow rule = new RidgeRow(mode, sweep, free, ridges(mode));
      try (Rows right = site.rows(mode, columns, valueType)) {
        site.run(
            Step.of(mode, "right sides" + about)
                .product("B", 2 * mode, factors.matrices())
                .rows("B", right));
        Step solve =
            Step.of(mode, "rows" + about)
                .product("N", 2 * mode + 1, factors.matrices())
                .rows("A", factors.of(mode))
                .rows("B", right)
                .then(new RowOperation.Each(rule, List.of("A", "B", "N"), 1, "s", columns));
        squares[mode] = site.run(solve).get("s");
      }
    }

    /** What the diagonals of the normal equations are on average, about, times the ridge. */
    private double[] ridges(int mode) {
      double[] ridges = new double[columns];
      Arrays.fill(ridges, ridge * training.entries() / site.shape().size(mode));
      for (int m = 0; m < order; m++) {
        for (int c = 0; m != mode && c < columns; c++) {
          ridges[c] *= squares[m][c] / site.shape().size(m);
        }
      }
      return ridges;
    }
  }
}
