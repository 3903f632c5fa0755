package org.weft.decomposition.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.Method;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Tensor completion: a CP model of the entries that are known. What is not stored is missing, not
 * zero: the sum of {@code (x - m)^2} over the entries, and a ridge for each factor, is to be small.
 * A {@link Solver} lowers it: {@link NormalSolver}, {@link CoordinateSolver} or {@link
 * GradientSolver}.
 *
 * <p>The ridge D of a row is {@code ridge} times what the diagonals of its normal equations are on
 * average at the start, if entries lie anywhere. The factors of the start have products of the
 * variance of the entries: the ridge is relative to the data, whatever its scale, and felt most in
 * slices with few entries. It stays as it is. A ridge that followed the factors would let a
 * component fit single entries, by large numbers in few slices. With biases the model has a column
 * for the mean, and one for each mode in which the rows of the other modes are 1.
 *
 * <p>Algorithms of polynomial time are known to recover a model of rank R and modes of size n from
 * about {@code n^(3/2) R} entries (Jain and Oh 2014; Barak and Moitra 2016). These find local
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
    Solver solver,
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
    return columns(rank, biases, order);
  }

  static int columns(int rank, boolean biases, int order) {
    return rank + (biases ? order + 1 : 0);
  }

  @Override
  public void check(TensorShape shape) {
    if (shape.order() < 2) {
      throw new WeftException(
          ErrorCode.USAGE, "complete: expected a tensor of at least 2 modes, found 1");
    }
  }

  @Override
  public Job job(TensorShape shape) {
    int order = shape.order();
    List<RowStatement> statements = new ArrayList<>(solver.statements(order, columns(order)));
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
    int numbers = solver.numbers(columns);
    return new Memory(
        most * numbers * valueType.bytes() + 2 * all * columns * valueType.bytes(),
        String.format(
            Locale.ROOT,
            "%s of %,.0f slices, %,d numbers each; give a lower --rank%s",
            solver.about(),
            most,
            numbers,
            valueType == ValueType.DOUBLE ? " or --type float" : ""));
  }

  @Override
  public Model run(Site site, Observer observer) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    int first = solver.statements(site.shape().order(), columns(site.shape().order())).size();
    CompletedFactors model =
        new CompletedFactors(site, first, rank, biases, ridge, seed, valueType);
    BestModel best =
        new BestModel(site, model.columns(), valueType, model.training(), heldOut, tolerance);
    Solver.Sweep sweep = solver.begin(model);
    Sweeps sweeps = new Sweeps(maxIterations, 0, observer);
    while (!sweeps.ended() && sweeps.count() < best.iteration() + patience) {
      sweeps.run(
          number -> {
            sweep.run(number, best.rmse());
            return best.judge(number, model.factors());
          });
    }
    CpFactors.Normalised found = CpFactors.Normalised.of(site, best.factors());
    return new Model(
        found.factors(),
        found.lambda(),
        best.rmse(),
        best.heldOut(),
        sweeps.fits(),
        sweeps.seconds(),
        model.mean(),
        best.iteration(),
        best.error(),
        sweeps.count() >= best.iteration() + patience);
  }
}
