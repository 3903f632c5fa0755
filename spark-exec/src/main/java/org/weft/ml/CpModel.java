package org.weft.ml;

import org.apache.spark.ml.util.MLReader;
import org.weft.spark.model.CpValue;
import org.weft.spark.model.TableModel;

/** A CP decomposition of a table; see {@link Cp}. Columns of factors have 2-norm 1. */
public final class CpModel extends TensorTransformer<CpModel> {
  private static final long serialVersionUID = 1L;

  CpModel(String uid, TableModel tables, Iterations iterations) {
    super(uid, tables, iterations);
  }

  /** Number of components R. */
  public int rank() {
    return lambda().length;
  }

  /** Weights of the components: R of them. */
  public double[] lambda() {
    return ((CpValue) tables().value()).lambda().clone();
  }

  @Override
  CpModel again() {
    return new CpModel(uid(), tables(), iterations());
  }

  /** Reads a model that was saved. */
  public static MLReader<CpModel> read() {
    return new ModelReader<>(CpModel.class, CpModel::new);
  }

  public static CpModel load(String path) {
    return read().load(path);
  }
}
