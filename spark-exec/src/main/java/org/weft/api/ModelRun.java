package org.weft.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.Method;
import org.weft.decomposition.rows.Factor;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobReport;
import org.weft.engine.MethodResult;
import org.weft.engine.ProgressListener;
import org.weft.engine.model.RunSummary;
import org.weft.error.ErrorCode;
import org.weft.error.Given;
import org.weft.error.WeftException;
import org.weft.spark.model.FactorModel;
import org.weft.spark.model.ModelValue;
import org.weft.storage.model.ModelSummary;
import org.weft.storage.model.ResultVersions;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/**
 * A decomposition of a {@link Tensor} that the caller configures and runs. This class has the
 * settings of all decompositions. The decomposition runs where the tensor is: in this process, or
 * on the executors of the Spark session. The factors come to this process. The factor of a mode
 * takes mode size x columns doubles.
 *
 * @param <R> the run
 * @param <M> its model
 */
public abstract sealed class ModelRun<R extends ModelRun<R, M>, M extends TensorModel>
    permits CpdRun, TuckerRun, CompletionRun {
  private static final int ITERATIONS = 50;
  private static final double TOLERANCE = 1e-5;

  private final Tensor tensor;
  private final String tag = "weft-" + UUID.randomUUID();
  private int iterations = ITERATIONS;
  private double tolerance = TOLERANCE;
  private long seed = 1;
  private int starts = 1;
  private int start;
  private Progress onIteration = (iteration, fit, seconds) -> {};
  private Steps onStep = description -> {};
  private volatile boolean cancelled;

  ModelRun(Tensor tensor) {
    this.tensor = tensor;
  }

  /** Sets the most iterations. Without this call there are at most 50. */
  public final R iterations(int most) {
    this.iterations = most;
    return self();
  }

  /**
   * Sets the change of the fit below which the run stops. A completion stops if its error falls by
   * a smaller part. Without this call the change is 1e-5. With 0 every iteration runs.
   */
  public final R tolerance(double change) {
    this.tolerance = change;
    return self();
  }

  /**
   * Sets the seed of the initial factors and of the entries that a completion holds out. Without
   * this call the seed is 1.
   */
  public final R seed(long number) {
    this.seed = number;
    return self();
  }

  /**
   * Sets the number of starts, from the seeds S, S + 1 and so on. The run keeps the best model, as
   * one start may end in a local optimum. The model with the greatest fit is the best. Of
   * completions the one with the least error is the best; all starts hold the same entries out. The
   * summary of a saved model has the fits of all starts. Without this call there is one start.
   */
  public final R starts(int count) {
    this.starts = count;
    return self();
  }

  /**
   * Sets what is called after each iteration. The thread that runs the decomposition calls the
   * listener. An exception of the listener ends the run.
   */
  public final R onIteration(Progress listener) {
    this.onIteration = Given.required("listener", listener);
    return self();
  }

  /**
   * Sets what is called before each step. The thread that runs the decomposition calls the
   * listener.
   */
  public final R onStep(Steps listener) {
    this.onStep = Given.required("listener", listener);
    return self();
  }

  /** Is called after each iteration. */
  @FunctionalInterface
  public interface Progress {
    /**
     * Is told that an iteration is over.
     *
     * @param iteration from 1
     * @param fit {@code 1 - |T - model| / |T|}
     * @param seconds that it took
     */
    void iteration(int iteration, double fit, double seconds);
  }

  /** Is called before each step. */
  @FunctionalInterface
  public interface Steps {
    /** Is told that a step begins, such as packing. */
    void step(String description);
  }

  /**
   * Ends the run. Another thread calls this while {@link #run} works, which then throws {@code
   * INTERRUPTED}. Jobs of Spark end at once. Work of this process ends with the step or the
   * iteration. Other runs of the session go on. A run that is cancelled before it begins ends as
   * soon as it begins.
   */
  public final void cancel() {
    cancelled = true;
    SparkSession spark = tensor.weft().spark();
    if (spark != null) {
      spark.sparkContext().cancelJobsWithTag(tag);
    }
  }

  /**
   * Runs the decomposition.
   *
   * @throws WeftException {@code USAGE} for ranks, options or a number of iterations or starts out
   *     of range, {@code MALFORMED_INPUT} for a completion without entries to learn from, {@code
   *     OUT_OF_MEMORY}, {@code INTERRUPTED} if the run was cancelled
   */
  public final M run() {
    requireWanted(null);
    tensor.weft().requireRunning();
    SparkSession spark = tensor.weft().spark();
    if (spark != null) {
      spark.sparkContext().addJobTag(tag);
    }
    try {
      return best();
    } catch (RuntimeException e) {
      requireWanted(e);
      throw e;
    } finally {
      if (spark != null) {
        spark.sparkContext().removeJobTag(tag);
      }
    }
  }

  private M best() {
    if (starts < 1) {
      throw new WeftException(
          ErrorCode.USAGE, "starts: expected at least 1 start, found " + starts);
    }
    List<Map<String, Object>> outcomes = new ArrayList<>();
    M best = null;
    for (start = 0; start < starts; start++) {
      M made = model(listener());
      outcomes.add(made.outcome(startSeed()));
      best = best == null || made.score() > best.score() ? made : best;
    }
    Objects.requireNonNull(best).setStarts(outcomes);
    return best;
  }

  private ProgressListener listener() {
    return new ProgressListener() {
      @Override
      public void step(String description, int done, int total) {
        requireWanted(null);
        onStep.step(description);
      }

      @Override
      public void iteration(int n, double fit, double deltaFit, double seconds) {
        onIteration.iteration(n, fit, seconds);
        requireWanted(null);
      }
    };
  }

  private void requireWanted(@Nullable RuntimeException cause) {
    if (cancelled) {
      throw new WeftException(ErrorCode.INTERRUPTED, "the decomposition was cancelled", cause);
    }
  }

  @SuppressWarnings("unchecked")
  private R self() {
    return (R) this;
  }

  /** Makes the model. */
  abstract M model(ProgressListener progress);

  /** A method's model, and its factors in this process. */
  record Found<T>(MethodResult<T> result, List<DenseMatrix> factors) {}

  final <T> Found<T> found(
      EngineTensor of,
      Method<T> method,
      Function<T, List<Factor>> factors,
      ProgressListener progress) {
    List<DenseMatrix> collected = new ArrayList<>();
    MethodResult<T> result =
        engine()
            .run(
                of,
                method,
                progress,
                (model, site) -> {
                  collected.clear();
                  factors.apply(model).forEach(factor -> collected.add(site.result(factor)));
                });
    return new Found<>(result, collected);
  }

  final ModelFactors factors(List<DenseMatrix> factors, ModelValue value) {
    return new ModelFactors(
        tensor.weft(), tensor.modes(), tensor.loaded().labels(), new FactorModel(factors, value));
  }

  /**
   * What a summary says of the run.
   *
   * @param method its name and options
   * @param more about the model
   */
  final ModelSummary summary(
      EngineTensor of,
      Map<String, Object> method,
      double norm,
      List<Double> fits,
      List<Double> seconds,
      boolean converged,
      Map<String, Object> more,
      JobReport report) {
    ModelSummary said =
        RunSummary.of(
            new RunSummary.About(
                List.of(tensor.packable().uri()),
                tensor.modes(),
                "Tensor." + method.get("method"),
                of.statistics(),
                ValueType.DOUBLE,
                seed,
                seconds.stream().mapToDouble(Double::doubleValue).sum(),
                ResultVersions.all(org.apache.spark.package$.MODULE$.SPARK_VERSION())),
            method,
            norm,
            fits,
            seconds,
            converged,
            more,
            report);
    return tensor.source() instanceof Source.File
        ? said
        : new ModelSummary(List.of(), said.content());
  }

  final Tensor tensor() {
    return tensor;
  }

  final Engine engine() {
    return tensor.weft().engine();
  }

  final int iterations() {
    return iterations;
  }

  final double tolerance() {
    return tolerance;
  }

  /** The seed of all starts, by which entries are held out. */
  final long seed() {
    return seed;
  }

  /** The seed of the start that runs. */
  final long startSeed() {
    return seed + start;
  }
}
