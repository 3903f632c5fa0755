package org.weft.ml;

import org.apache.spark.ml.param.IntArrayParam;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MLReader;
import org.weft.api.Tensor;
import org.weft.spark.model.TuckerValue;

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

  public Tucker() {
    this(Identifiable.randomUID("tucker"));
  }

  public Tucker(String uid) {
    super(uid);
    ranks = new IntArrayParam(this, "ranks", "columns of each factor, one number for each mode");
  }

  public IntArrayParam ranks() {
    return ranks;
  }

  /** Columns of each factor, one number for each mode. */
  public Tucker setRanks(int... columns) {
    return with(ranks, columns);
  }

  @Override
  void checkModes(int order) {
    int found = isDefined(ranks) ? getOrDefault(ranks).length : 0;
    if (found != order) {
      throw ColumnParams.usage("ranks: expected " + order + " numbers, one a mode, found " + found);
    }
  }

  @Override
  TuckerModel fit(Tensor tensor) {
    org.weft.api.TuckerModel found = configured(tensor.tucker(getOrDefault(ranks))).run();
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
