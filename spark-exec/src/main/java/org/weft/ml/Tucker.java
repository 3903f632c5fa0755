package org.weft.ml;

import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.IntArrayParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MLReader;
import org.weft.api.Tensor;
import org.weft.api.TuckerRun;
import org.weft.spark.model.TuckerValue;
import org.weft.text.Counts;

/**
 * Tucker decomposition of a table: a core {@code R_0 x R_1 x ...} and a factor with orthonormal
 * columns for each mode, by higher-order orthogonal iteration (Kolda and Bader 2009, figure 4.4).
 *
 * <pre>{@code
 * TuckerModel m = new Tucker().setModeCols("user", "item", "week").setRanks(8, 8, 4).fit(df);
 * }</pre>
 *
 * <p>Entries that the table lacks are zeros.
 */
public final class Tucker extends TensorEstimator<Tucker, TuckerModel> {
  private static final long serialVersionUID = 1L;

  private final IntArrayParam ranks;
  private final Param<String> init;
  private final BooleanParam nonnegative;

  public Tucker() {
    this(Identifiable.randomUID("tucker"));
  }

  public Tucker(String uid) {
    super(uid);
    ranks = new IntArrayParam(this, "ranks", "columns of each factor, one number for each mode");
    init =
        new Param<>(
            this,
            "init",
            "initial factors: sthosvd or random",
            ParamValidators.inArray(new String[] {"sthosvd", "random"}));
    nonnegative = new BooleanParam(this, "nonnegative", "whether core and factors are nonnegative");
    setDefault(nonnegative, false);
  }

  public IntArrayParam ranks() {
    return ranks;
  }

  public Param<String> init() {
    return init;
  }

  public BooleanParam nonnegative() {
    return nonnegative;
  }

  /** Columns of each factor, one number for each mode. */
  public Tucker setRanks(int... columns) {
    return with(ranks, columns);
  }

  /** {@code sthosvd} or {@code random}, {@link TuckerRun#init}. */
  public Tucker setInit(String name) {
    return with(init, name);
  }

  /** Whether core and factors are nonnegative; false if this is not called. */
  public Tucker setNonnegative(boolean wanted) {
    return with(nonnegative, wanted);
  }

  @Override
  void checkModes(int order) {
    int found = isDefined(ranks) ? getOrDefault(ranks).length : 0;
    if (found != order) {
      throw ColumnParams.usage(
          "ranks: expected " + Counts.plain(order, "number") + ", one a mode, found " + found);
    }
  }

  @Override
  TuckerModel fit(Tensor tensor) {
    TuckerRun run = configured(tensor.tucker(getOrDefault(ranks)));
    if (isDefined(init)) {
      run.init(getOrDefault(init));
    }
    if ((Boolean) getOrDefault(nonnegative)) {
      run.nonnegative();
    }
    org.weft.api.TuckerModel found = run.run();
    return new TuckerModel(
        uid(),
        tables(found, new TuckerValue(found.ranks(), found.core())),
        Iterations.of(found.fits()));
  }

  @Override
  public Tucker copy(ParamMap extra) {
    return defaultCopy(extra);
  }

  /** Reads an estimator that was saved. */
  public static MLReader<Tucker> read() {
    return new DefaultParamsReader<>();
  }

  public static Tucker load(String path) {
    return read().load(path);
  }
}
