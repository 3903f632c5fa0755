package org.weft.ml;

import org.apache.spark.ml.util.MLReader;
import org.weft.spark.model.TableModel;
import org.weft.spark.model.TuckerValue;

/** A Tucker decomposition of a table; see {@link Tucker}. */
public final class TuckerModel extends TensorTransformer<TuckerModel> {
  private static final long serialVersionUID = 1L;

  TuckerModel(String uid, TableModel tables, Iterations iterations) {
    super(uid, tables, iterations);
  }

  /** Columns of each factor: R_n, by mode. */
  public int[] ranks() {
    return value().ranks().clone();
  }

  /** The core, row-major: {@code R_0 x R_1 x ...}. */
  public double[] core() {
    return value().core().clone();
  }

  private TuckerValue value() {
    return (TuckerValue) tables().value();
  }

  @Override
  TuckerModel again() {
    return new TuckerModel(uid(), tables(), iterations());
  }

  /** Reads a model that was saved. */
  public static MLReader<TuckerModel> read() {
    return new ModelReader<>(TuckerModel.class, TuckerModel::new);
  }

  public static TuckerModel load(String path) {
    return read().load(path);
  }
}
