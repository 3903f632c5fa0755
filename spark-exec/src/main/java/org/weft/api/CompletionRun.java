package org.weft.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.weft.decomposition.HeldOut;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.completion.Completion;
import org.weft.decomposition.completion.NormalSolver;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.entries.HashedSplit;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * A completion to be run: a CP model of the entries that are there, the others being unknown, not
 * zero, by alternating least squares with a ridge (Zhou et al. 2008, section 3). Entries are held
 * out by a hash of their coordinates, and the model with the least error at them is kept. Cost of
 * an iteration: {@code O(order nnz C^2)} for C columns.
 */
public final class CompletionRun {
  private static final int ITERATIONS = 50;
  private static final int PATIENCE = 20;
  private static final double TOLERANCE = 1e-5;
  private static final double RIDGE = 0.01;
  private static final double SHARE = 0.1;

  private final Tensor tensor;
  private final int rank;
  private boolean biases = true;
  private int iterations = ITERATIONS;
  private int patience = PATIENCE;
  private double tolerance = TOLERANCE;
  private double ridge = RIDGE;
  private double share = SHARE;
  private long seed = 1;
  private final Running running;

  CompletionRun(Tensor tensor, int rank) {
    this.tensor = tensor;
    this.rank = rank;
    this.running = new Running(tensor.weft());
  }

  /** Whether the model has a column for the mean, and one for the biases of each mode; else yes. */
  public CompletionRun biases(boolean wanted) {
    this.biases = wanted;
    return this;
  }

  /** Most iterations; 50 if this is not called. */
  public CompletionRun iterations(int most) {
    this.iterations = most;
    return this;
  }

  /** Stop after so many iterations without a smaller error; 20 if this is not called. */
  public CompletionRun patience(int most) {
    this.patience = most;
    return this;
  }

  /** An error is smaller if it is so by this part; 1e-5 if this is not called. */
  public CompletionRun tolerance(double part) {
    this.tolerance = part;
    return this;
  }

  /**
   * Weight of small factors, relative to the sums of an average slice; 0.01 if this is not called.
   */
  public CompletionRun ridge(double weight) {
    this.ridge = weight;
    return this;
  }

  /**
   * Share of the entries that are held out; 0.1 if this is not called. Without any, the entries
   * that the model is made of decide.
   */
  public CompletionRun heldOut(double part) {
    this.share = part;
    return this;
  }

  /** Seed of the initial factors, and of what is held out; 1 if this is not called. */
  public CompletionRun seed(long number) {
    this.seed = number;
    return this;
  }

  /** Hears of iterations, on the thread that runs them; an exception from it ends the run. */
  public CompletionRun onIteration(CpdRun.Progress listener) {
    running.onIteration(listener);
    return this;
  }

  /** Ends the run; see {@link CpdRun#cancel}. */
  public void cancel() {
    running.cancel();
  }

  /**
   * Completes. Factors come to this process: mode sizes x columns doubles.
   *
   * @throws WeftException {@code USAGE} for a rank, ridge, share, tolerance, patience or number of
   *     iterations out of range, {@code MALFORMED_INPUT} without entries to learn from, {@code
   *     OUT_OF_MEMORY}, {@code INTERRUPTED} if it was cancelled
   */
  public CompletionModel run() {
    if (!(share >= 0 && share < 1)) {
      throw new WeftException(
          ErrorCode.USAGE, "heldOut: expected a share from 0 to less than 1, found " + share);
    }
    Completion all = method(Optional.empty());
    return running.run(
        progress -> {
          EngineTensor training = part(0);
          if (training.statistics().entries() == 0) {
            throw new WeftException(
                ErrorCode.MALFORMED_INPUT,
                String.format(
                    Locale.ROOT,
                    "complete: expected entries to learn from, found none of %,d; hold out less",
                    tensor.size()));
          }
          return judged(all, judge -> run(training, method(judge), progress));
        });
  }

  private Completion method(Optional<ModelError> judge) {
    return new Completion(
        new NormalSolver(),
        rank,
        biases,
        iterations,
        patience,
        tolerance,
        ridge,
        seed,
        ValueType.DOUBLE,
        judge);
  }

  /** Entries that are learnt from, 0, or held out, 1. */
  private EngineTensor part(int number) {
    EngineTensor all = tensor.packable();
    TensorShape shape = all.originalStatistics().shape();
    double[] shares = {1 - share, share};
    return engine()
        .select(
            all,
            (number == 0 ? "training" : "held-out") + " entries",
            shape,
            HashedSplit.part(all.originalCoordinates(), shares, number, seed));
  }

  /** Gives work a judge by the entries that are held out, if there are any. */
  private <T> T judged(Completion method, Function<Optional<ModelError>, T> work) {
    EngineTensor heldOut = share == 0 ? null : part(1);
    if (heldOut == null || heldOut.statistics().entries() == 0) {
      return work.apply(Optional.empty());
    }
    int columns = method.columns(heldOut.statistics().shape().order());
    HeldOut<T> judge =
        new HeldOut<>(columns, ValueType.DOUBLE, error -> work.apply(Optional.of(error)));
    return engine().run(heldOut, judge, ProgressListener.NONE, (made, site) -> {}).model();
  }

  private CompletionModel run(EngineTensor training, Completion method, ProgressListener progress) {
    List<DenseMatrix> factors = new ArrayList<>();
    Completion.Model model =
        engine()
            .run(
                training,
                method,
                progress,
                (found, site) -> {
                  factors.clear();
                  found.factors().forEach(factor -> factors.add(site.result(factor)));
                })
            .model();
    return new CompletionModel(
        tensor.weft(), tensor.modes(), tensor.loaded().labels(), factors, rank, model);
  }

  private Engine engine() {
    return tensor.weft().engine();
  }
}
