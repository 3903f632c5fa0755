package org.weft.ml;

import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MLReader;
import org.weft.api.CompletionModel;
import org.weft.api.Tensor;
import org.weft.spark.model.CpValue;

/**
 * Completion of a table: a CP model of the entries that are there, such as ratings. Entries that
 * the table lacks are unknown, not zero as {@link Cp} takes them. Alternating least squares with a
 * ridge, a mean and biases (Zhou et al. 2008, section 3).
 *
 * <pre>{@code
 * TensorCompletionModel m =
 *     new TensorCompletion().setModeCols("user", "item", "week").setValueCol("rating").fit(df);
 * m.transform(unrated);               // another column, prediction
 * m.recommend(users, "item", 10);     // ten items for each row of users
 * }</pre>
 *
 * <p>A share of the entries is held out; the model of the iteration with the least error at them is
 * kept. {@code tol} is the part by which an error has to be less, and {@code patience} how many
 * iterations may pass without. Ratings that were given twice are summed, as by the other
 * estimators: average them before. Cost of an iteration: {@code O(order nnz C^2)} for C columns.
 */
public final class TensorCompletion
    extends TensorEstimator<TensorCompletion, TensorCompletionModel> {
  private static final long serialVersionUID = 1L;
  private static final int RANK = 10;
  private static final double RIDGE = 0.01;
  private static final double SHARE = 0.1;
  private static final int PATIENCE = 20;

  private final IntParam rank;
  private final DoubleParam ridge;
  private final BooleanParam biases;
  private final DoubleParam heldOut;
  private final IntParam patience;
  private final DoubleParam missingWeight;

  public TensorCompletion() {
    this(Identifiable.randomUID("completion"));
  }

  public TensorCompletion(String uid) {
    super(uid);
    rank = new IntParam(this, "rank", "number of components", ParamValidators.gtEq(1));
    ridge =
        new DoubleParam(
            this,
            "ridge",
            "weight of small factors, relative to the sums of an average slice",
            ParamValidators.gtEq(0));
    biases = new BooleanParam(this, "biases", "whether there are a mean and a bias for each label");
    heldOut =
        new DoubleParam(
            this,
            "heldOut",
            "share of the entries that decide which iteration is kept",
            ParamValidators.inRange(0, 1, true, false));
    patience =
        new IntParam(
            this, "patience", "iterations without a smaller error", ParamValidators.gtEq(1));
    missingWeight =
        new DoubleParam(
            this,
            "missingWeight",
            "weight of a cell that the table lacks, whose value then counts as 0",
            ParamValidators.inRange(0, 1));
    setDefault(rank, RANK);
    setDefault(ridge, RIDGE);
    setDefault(biases, true);
    setDefault(heldOut, SHARE);
    setDefault(patience, PATIENCE);
    setDefault(missingWeight, 0.0);
  }

  public IntParam rank() {
    return rank;
  }

  public DoubleParam ridge() {
    return ridge;
  }

  public BooleanParam biases() {
    return biases;
  }

  public DoubleParam heldOut() {
    return heldOut;
  }

  public IntParam patience() {
    return patience;
  }

  public DoubleParam missingWeight() {
    return missingWeight;
  }

  /** Number of components; 10 if this is not called. */
  public TensorCompletion setRank(int components) {
    return with(rank, components);
  }

  /** Weight of small factors; 0.01 if this is not called. */
  public TensorCompletion setRidge(double weight) {
    return with(ridge, weight);
  }

  /** Whether the model has a mean, and a bias for each label; it has if this is not called. */
  public TensorCompletion setBiases(boolean wanted) {
    return with(biases, wanted);
  }

  /** Share of the entries that are held out; 0.1 if this is not called. */
  public TensorCompletion setHeldOut(double share) {
    return with(heldOut, share);
  }

  /** Iterations without a smaller error that end the run; 20 if this is not called. */
  public TensorCompletion setPatience(int most) {
    return with(patience, most);
  }

  /** Weight of a cell that the table lacks; 0, unknown, if this is not called. */
  public TensorCompletion setMissingWeight(double weight) {
    return with(missingWeight, weight);
  }

  @Override
  TensorCompletionModel fit(Tensor tensor) {
    CompletionModel found =
        configured(tensor.complete((Integer) getOrDefault(rank)))
            .ridge((Double) getOrDefault(ridge))
            .biases((Boolean) getOrDefault(biases))
            .heldOut((Double) getOrDefault(heldOut))
            .patience((Integer) getOrDefault(patience))
            .missingWeight((Double) getOrDefault(missingWeight))
            .run();
    return new TensorCompletionModel(
        uid(),
        tables(found, new CpValue(found.lambda())),
        new Iterations(found.fits(), found.trainingErrors(), found.heldOutErrors(), found.best()));
  }

  @Override
  public TensorCompletion copy(ParamMap extra) {
    return defaultCopy(extra);
  }

  /** Reads an estimator that was saved. */
  public static MLReader<TensorCompletion> read() {
    return new DefaultParamsReader<>();
  }

  public static TensorCompletion load(String path) {
    return read().load(path);
  }
}
