package org.weft.decomposition.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.Resumable;
import org.weft.decomposition.Setting;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * Tensor completion: a CP model M of the entries that are known. A cell that is not stored is
 * missing, not zero, unless the solver gives such cells a weight ({@link NormalSolver}). A {@link
 * Solver} ({@link NormalSolver}, {@link CoordinateSolver} or {@link GradientSolver}) lowers the
 * objective
 *
 * <pre>
 * sum over the entries of (x - m)^2  +  sum over the rows a of all factors of D |a|^2
 * </pre>
 *
 * <p><b>Ridge.</b> D is {@code ridge} times the mean diagonal that the normal equations of a row
 * have at the start, if entries lie anywhere. The initial factors have products of the variance of
 * the entries. The ridge is therefore relative to the data, whatever its scale, and it matters most
 * in slices with few entries. It is constant during a run: a ridge that followed the factors would
 * let a component fit single entries, by large numbers in few slices.
 *
 * <p><b>Biases.</b> A model with biases has 1 + N more columns for a tensor of N modes. One column
 * is the mean of the entries. Each of the others belongs to a mode, and the rows of all other modes
 * are 1 in this column.
 *
 * <p><b>Judging.</b> After each sweep the run computes the error at held-out entries, or at the
 * training entries if none are held out, to which missing cells add by their weight. It keeps the
 * best model. It ends after {@code patience} sweeps without a better one.
 *
 * <p><b>Optima.</b> The solvers find local optima, the more often the fewer entries there are, so
 * that several starts help. Algorithms of polynomial time are known that recover a model of rank R
 * of modes of size n from about {@code n^(3/2) R} entries (Jain and Oh 2014; Barak and Moitra
 * 2016).
 *
 * @param rank number of columns beside those of the biases
 * @param biases whether the model has biases
 * @param maxIterations most sweeps over all modes
 * @param patience how many sweeps without a better model end the run
 * @param tolerance by which part the error has to fall for a model to be better
 * @param ridge weight of the second sum of the objective; 0 for none
 * @param valueType type of the entries and the factors
 * @param heldOut computes the error at held-out entries
 * @param rival to be beaten: a run that falls far behind ends early
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
    Optional<ModelError> heldOut,
    Rival rival)
    implements Resumable<Completion.Model> {

  /**
   * The best model of a run.
   *
   * @param factors a matrix of mode size x columns for each mode, with columns of 2-norm 1
   * @param lambda the weight of each column
   * @param rmse root mean square error at the training entries, after each iteration
   * @param heldOut the same at the held-out entries; empty if there are none
   * @param fits the fit at the entries that decide, after each iteration
   * @param seconds time of each iteration
   * @param mean mean of the training entries
   * @param best the iteration that made this model, from 1
   * @param error the error of this iteration at the entries that decide
   * @param converged whether the run ended because no better model came
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
    /** The rows before normalisation, for {@link ModelError}: the sum of their products is M. */
    public List<Rows> rows() {
      return factors.stream().map(Factor::rows).toList();
    }
  }

  public Completion {
    Setting.require(
        "complete",
        rank >= 1 && rank <= Setting.LARGEST_RANK,
        "a rank of 1 to " + Setting.LARGEST_RANK,
        rank);
    Setting.require("complete", maxIterations >= 1, "at least 1 iteration", maxIterations);
    Setting.require("complete", patience >= 1, "a patience of at least 1", patience);
    Setting.require("complete", tolerance >= 0, "a tolerance of at least 0", tolerance);
    Setting.require(
        "complete", ridge >= 0 && ridge < Double.POSITIVE_INFINITY, "a ridge of at least 0", ridge);
  }

  /** The number of columns of the factors, with biases, for a tensor of {@code order} modes. */
  public int columns(int order) {
    return rank + (biases ? order + 1 : 0);
  }

  @Override
  public void checkOrder(int order) {
    Setting.require("complete", order >= 2, "a tensor of at least 2 modes", order);
  }

  @Override
  public Job job(TensorShape shape) {
    int order = shape.order();
    List<RowStatement> statements = new ArrayList<>(solver.statements(order, columns(order)));
    statements.addAll(ModelError.statements(columns(order)));
    statements.addAll(CompletedFactors.statements(columns(order), solver.missing()));
    RowAlgebra algebra = RowAlgebra.of(columns(order), valueType);
    List<KernelRequest> kernels =
        solver.missing() > 0 ? List.of(algebra.copy(), algebra.gram()) : List.of(algebra.copy());
    return new Job("complete", statements, kernels, maxIterations, valueType);
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
            "%s of %,.0f slices, %s each; give a lower --rank%s",
            solver.about(),
            most,
            Counts.of(numbers, "number"),
            valueType == ValueType.DOUBLE ? " or --type float" : ""));
  }

  @Override
  public Model run(Site site, Observer observer, Checkpoints checkpoints) {
    Sweeps.requireFinite("the sum of the squares of the values", site.normSquared());
    Sweeps.requireSquares(site, valueType);
    int first = solver.statements(site.shape().order(), columns(site.shape().order())).size();
    Sweeps sweeps = new Sweeps(maxIterations, 0, observer, checkpoints);
    Optional<MethodState<RowSource>> start = sweeps.start();
    CompletedFactors model = new CompletedFactors(site, this, first, start);
    BestModel best = new BestModel(model, heldOut, tolerance, start);
    Solver.Sweep solution = solver.begin(model, start);
    BooleanSupplier converged = () -> sweeps.count() >= best.iteration() + patience;
    BooleanSupplier ended = () -> converged.getAsBoolean() || rival.isOutOfReach(sweeps.fits());
    sweeps.run(
        site,
        number -> best.judge(number, solution.run(number, best.rmse())),
        ended,
        () -> solution.save(best.save(model.state())));
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
        converged.getAsBoolean());
  }
}
