package org.weft.ml;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;
import org.weft.api.ModelRun;
import org.weft.api.Tensor;
import org.weft.api.Weft;
import org.weft.error.Given;
import org.weft.spark.model.ModelValue;
import org.weft.spark.model.TableModel;

/**
 * The base of the estimators. An estimator fits a model to a table that has a column of labels for
 * each mode and a column of values. The values of rows with the same labels are summed. Labels are
 * of any type that can be ordered, text with the collation {@code UTF8_BINARY}. All estimators have
 * these params:
 *
 * <ul>
 *   <li>{@code modeCols}: the columns of labels;
 *   <li>{@code valueCol}: the column of values; without it a row counts 1;
 *   <li>{@code maxIter}: most iterations, 50 by default;
 *   <li>{@code tol}: the run ends if the fit changes by less, 1e-5 by default;
 *   <li>{@code seed}: seed of the initial factors, 1 by default;
 *   <li>{@code starts}: runs from so many seeds, of which the best model is kept, 1 by default;
 *   <li>{@code predictionCol}: the column that a model adds;
 *   <li>{@code coldStartStrategy}: {@code nan} or {@code drop}, for rows with unknown labels.
 * </ul>
 *
 * @param <E> the estimator
 * @param <M> its model
 */
public abstract class TensorEstimator<
        E extends TensorEstimator<E, M>, M extends TensorTransformer<M>>
    extends Estimator<M> implements DefaultParamsWritable {
  private static final long serialVersionUID = 1L;
  private static final int ITERATIONS = 50;
  private static final double TOLERANCE = 1e-5;

  private final String uid;
  private final ColumnParams columns;
  private final IntParam maxIter;
  private final DoubleParam tol;
  private final LongParam seed;
  private final IntParam starts;

  TensorEstimator(String uid) {
    this.uid = uid;
    this.columns = new ColumnParams(this);
    this.maxIter = new IntParam(this, "maxIter", "iterations at most", ParamValidators.gtEq(1));
    this.tol =
        new DoubleParam(this, "tol", "end when the fit changes by less", ParamValidators.gtEq(0));
    this.seed = new LongParam(this, "seed", "seed of the initial factors");
    this.starts =
        new IntParam(
            this, "starts", "seeds to start from, the best is kept", ParamValidators.gtEq(1));
    setDefault(starts, 1);
    setDefault(maxIter, ITERATIONS);
    setDefault(tol, TOLERANCE);
    setDefault(seed, 1L);
  }

  @Override
  public String uid() {
    return uid;
  }

  public final StringArrayParam modeCols() {
    return columns.modes;
  }

  public final Param<String> valueCol() {
    return columns.value;
  }

  public final Param<String> predictionCol() {
    return columns.prediction;
  }

  public final Param<String> coldStartStrategy() {
    return columns.coldStart;
  }

  public final IntParam maxIter() {
    return maxIter;
  }

  public final DoubleParam tol() {
    return tol;
  }

  public final LongParam seed() {
    return seed;
  }

  public final IntParam starts() {
    return starts;
  }

  /** The columns of labels, one for each mode. */
  public final E setModeCols(String... names) {
    return with(columns.modes, names);
  }

  /** The column of values, a number. */
  public final E setValueCol(String name) {
    return with(columns.value, name);
  }

  public final E setPredictionCol(String name) {
    return with(columns.prediction, name);
  }

  /** {@code nan}: a row with a label that the model lacks has NaN; {@code drop}: it is left out. */
  public final E setColdStartStrategy(String strategy) {
    return with(columns.coldStart, strategy);
  }

  public final E setMaxIter(int most) {
    return with(maxIter, most);
  }

  public final E setTol(double change) {
    return with(tol, change);
  }

  public final E setSeed(long number) {
    return with(seed, number);
  }

  /** Runs from so many seeds, of which the best model is kept: {@link ModelRun#starts}. */
  public final E setStarts(int count) {
    return with(starts, count);
  }

  @SuppressWarnings("unchecked")
  final <T> E with(Param<? super T> param, T value) {
    set(param, Given.required(param.name(), value));
    return (E) this;
  }

  @Override
  public StructType transformSchema(StructType schema) {
    checkModes(columns.modeNames().size());
    return columns.fitted(schema);
  }

  /** Checks the params that depend on the number of modes. */
  void checkModes(int order) {}

  @Override
  public M fit(Dataset<?> rows) {
    transformSchema(Given.required("rows", rows).schema(), true);
    SparkSession spark = rows.sparkSession();
    try (Weft weft = Weft.on(spark)) {
      List<String> modes = columns.modeNames();
      Dataset<Row> table = rows.toDF();
      Tensor tensor =
          isDefined(columns.value)
              ? weft.tensor(table, modes, getOrDefault(columns.value))
              : weft.tensor(table, modes);
      M model = fit(tensor);
      model.setParent(this);
      return copyValues(model, extractParamMap());
    }
  }

  abstract M fit(Tensor tensor);

  /** Gives a run the params that every estimator has. */
  final <R extends ModelRun<R, ?>> R configured(R run) {
    return run.iterations((Integer) getOrDefault(maxIter))
        .tolerance((Double) getOrDefault(tol))
        .seed((Long) getOrDefault(seed))
        .starts((Integer) getOrDefault(starts));
  }

  /**
   * The tables of a model, with the factors on the executors. They are computed before the tensor
   * is closed, and dropped when nothing refers to them.
   */
  static TableModel tables(org.weft.api.TensorModel found, ModelValue value) {
    List<Dataset<Row>> factors = new ArrayList<>();
    for (String mode : found.modes()) {
      factors.add(
          held(
              found
                  .factors(mode)
                  .toDF(TableModel.LABEL, TableModel.COORDINATE, TableModel.WEIGHTS)));
    }
    return new TableModel(found.modes(), factors, value);
  }

  /** A factor that the executors keep, independent of where it came from. */
  static Dataset<Row> held(Dataset<Row> factor) {
    JavaRDD<Row> rows = factor.javaRDD().persist(StorageLevel.MEMORY_AND_DISK());
    rows.count();
    return factor.sparkSession().createDataFrame(rows, factor.schema());
  }

  @Override
  public abstract E copy(ParamMap extra);
}
