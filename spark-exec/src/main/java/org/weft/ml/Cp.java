package org.weft.ml;

import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MLReader;
import org.weft.api.CpdRun;
import org.weft.api.Tensor;
import org.weft.spark.model.CpValue;

/**
 * CP decomposition of a table: {@code T(i,j,...) ~ sum_r lambda(r) A(i,r) B(j,r) ...}, by
 * alternating least squares, or HALS for nonnegative factors (Kolda and Bader 2009, section 3.4).
 *
 * <pre>{@code
 * CpModel m = new Cp().setModeCols("user", "item", "week").setValueCol("count").setRank(16).fit(df);
 * m.transform(df);                    // another column, prediction
 * m.recommend(users, "item", 10);     // ten items for each row of users
 * }</pre>
 *
 * <p>Entries that the table lacks are zeros. Cost of an iteration: {@code O(order nnz R)}.
 */
public final class Cp extends TensorEstimator<Cp, CpModel> {
  private static final long serialVersionUID = 1L;
  private static final int RANK = 10;
  private static final double SAMPLE = 0.1;

  private final IntParam rank;
  private final BooleanParam nonnegative;
  private final Param<String> method;
  private final DoubleParam sample;
  private final IntParam polish;

  public Cp() {
    this(Identifiable.randomUID("cp"));
  }

  public Cp(String uid) {
    super(uid);
    rank = new IntParam(this, "rank", "number of components", ParamValidators.gtEq(1));
    nonnegative = new BooleanParam(this, "nonnegative", "whether factors are nonnegative");
    method =
        new Param<>(
            this,
            "method",
            "als, hals or arls",
            ParamValidators.inArray(new String[] {"als", "hals", "arls"}));
    sample =
        new DoubleParam(
            this,
            "sample",
            "share of the entries in the slices that arls decomposes first",
            ParamValidators.inRange(0, 1, false, true));
    polish =
        new IntParam(
            this, "polish", "iterations of arls over all entries", ParamValidators.gtEq(1));
    setDefault(method, "als");
    setDefault(sample, SAMPLE);
    setDefault(rank, RANK);
    setDefault(nonnegative, false);
  }

  public IntParam rank() {
    return rank;
  }

  public BooleanParam nonnegative() {
    return nonnegative;
  }

  public Param<String> method() {
    return method;
  }

  public DoubleParam sample() {
    return sample;
  }

  public IntParam polish() {
    return polish;
  }

  /** Number of components; 10 if this is not called. */
  public Cp setRank(int components) {
    return with(rank, components);
  }

  /** Whether factors are nonnegative; false if this is not called. */
  public Cp setNonnegative(boolean wanted) {
    return with(nonnegative, wanted);
  }

  /**
   * {@code als}, {@code hals} or {@code arls}, {@link CpdRun#method}; als if this is not called.
   */
  public Cp setMethod(String name) {
    return with(method, name);
  }

  /** Share of the entries in the slices that arls decomposes first; 0.1 if this is not called. */
  public Cp setSample(double share) {
    return with(sample, share);
  }

  /** Iterations of arls over all entries; {@link CpdRun#polish} says how many otherwise. */
  public Cp setPolish(int most) {
    return with(polish, most);
  }

  @Override
  CpModel fit(Tensor tensor) {
    CpdRun run =
        configured(tensor.cpd((Integer) getOrDefault(rank)))
            .method(getOrDefault(method))
            .sample((Double) getOrDefault(sample));
    if (isDefined(polish)) {
      run.polish((Integer) getOrDefault(polish));
    }
    if ((Boolean) getOrDefault(nonnegative)) {
      run.nonnegative();
    }
    org.weft.api.CpModel found = run.run();
    return new CpModel(
        uid(), tables(found, new CpValue(found.lambda())), Iterations.of(found.fits()));
  }

  @Override
  public Cp copy(ParamMap extra) {
    return defaultCopy(extra);
  }

  /** Reads an estimator that was saved. */
  public static MLReader<Cp> read() {
    return new DefaultParamsReader<>();
  }

  public static Cp load(String path) {
    return read().load(path);
  }
}
