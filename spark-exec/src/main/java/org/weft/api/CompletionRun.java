package org.weft.api;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.weft.decomposition.HeldOut;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.completion.Completion;
import org.weft.decomposition.completion.NormalSolver;
import org.weft.decomposition.completion.Rival;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.entries.HashedSplit;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.model.CpValue;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * A completion to be run: a CP model of the entries that the tensor has. All other cells are
 * unknown, not zero, unless they have a weight. The method is alternating least squares with a
 * ridge (Zhou et al. 2008, section 3).
 *
 * <p>A hash of the coordinates chooses the entries that are held out, and the run keeps the model
 * with the least error at these entries. Cost of an iteration: {@code O(order nnz C^2)} for C
 * columns.
 */
public final class CompletionRun extends ModelRun<CompletionRun, CompletionModel> {
  private static final int PATIENCE = 20;
  private static final double RIDGE = 0.01;
  private static final double SHARE = 0.1;

  private final int rank;
  private boolean biases = true;
  private int patience = PATIENCE;
  private double ridge = RIDGE;
  private double share = SHARE;
  private double missing;

  CompletionRun(Tensor tensor, int rank) {
    super(tensor);
    this.rank = rank;
  }

  /**
   * Whether the model has a column for the mean, and one for the biases of each mode. It has them
   * if this is not called.
   */
  public CompletionRun biases(boolean wanted) {
    this.biases = wanted;
    return this;
  }

  /** Stop after so many iterations without a smaller error; 20 if this is not called. */
  public CompletionRun patience(int most) {
    this.patience = most;
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
   * Weight of a cell that the tensor does not have, whose value then counts as 0: from 0, unknown,
   * to 1, as in CP. Entries weigh 1. It is 0 if this is not called.
   */
  public CompletionRun missingWeight(double weight) {
    this.missing = weight;
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

  @Override
  CompletionModel model(ProgressListener progress) {
    if (!(share >= 0 && share < 1)) {
      throw new WeftException(
          ErrorCode.USAGE, "heldOut: expected a share from 0 to less than 1, found " + share);
    }
    Completion all = method(Optional.empty());
    EngineTensor training = part(0);
    if (training.statistics().entries() == 0) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          tensor().size() == 0
              ? "complete: expected entries to learn from, found a tensor without entries"
              : String.format(
                  Locale.ROOT,
                  "complete: expected entries to learn from, found none of %,d; hold out less",
                  tensor().size()));
    }
    return judged(all, judge -> completed(training, method(judge), progress));
  }

  private Completion method(Optional<ModelError> judge) {
    return new Completion(
        new NormalSolver(missing),
        rank,
        biases,
        iterations(),
        patience,
        tolerance(),
        ridge,
        startSeed(),
        ValueType.DOUBLE,
        judge,
        Rival.NONE);
  }

  /** The training entries for number 0, the held-out entries for number 1. */
  private EngineTensor part(int number) {
    EngineTensor all = tensor().packable();
    TensorShape shape = all.originalStatistics().shape();
    double[] shares = {1 - share, share};
    return engine()
        .select(
            all,
            (number == 0 ? "training" : "held-out") + " entries",
            shape,
            HashedSplit.part(shares, number, seed()));
  }

  /** Runs work with the error at the held-out entries, or without it if there are none. */
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

  private CompletionModel completed(
      EngineTensor training, Completion method, ProgressListener progress) {
    Found<Completion.Model> found = found(training, method, Completion.Model::factors, progress);
    Completion.Model model = found.result().model();
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("method", "complete");
    options.put("algorithm", "als");
    options.put("rank", model.lambda().length);
    options.put("components", rank);
    options.put("biases", biases);
    options.put("missing_weight", missing);
    options.put("ridge", ridge);
    options.put("split", List.of(share, 0.0));
    options.put("patience", patience);
    options.put("tolerance", tolerance());
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("lambda", model.lambda());
    more.put("best_iteration", model.best());
    more.put("rmse_training", model.rmse());
    more.put("rmse_validation", model.heldOut());
    more.put("mean", model.mean());
    return new CompletionModel(
        factors(found.factors(), new CpValue(model.lambda())),
        summary(
            training,
            options,
            found.result().norm(),
            model.fits(),
            model.seconds(),
            model.converged(),
            more,
            found.result().report()));
  }
}
