package org.weft.ml;

import java.util.Map;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;
import org.weft.error.Given;
import org.weft.spark.model.TableModel;

/**
 * The base of the models that {@link TensorEstimator}s fit. A model predicts the rows of a table
 * and recommends labels. Its factors lie on the executors.
 *
 * @param <M> the model
 */
public abstract class TensorTransformer<M extends TensorTransformer<M>> extends Model<M>
    implements MLWritable {
  private static final long serialVersionUID = 1L;

  private final String uid;
  private final ColumnParams columns;
  private final transient TableModel tables;
  private final Iterations iterations;

  TensorTransformer(String uid, TableModel tables, Iterations iterations) {
    this.uid = uid;
    this.columns = new ColumnParams(this);
    this.tables = tables;
    this.iterations = iterations;
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

  /** Sets the column that gets the model's value. */
  public final M setPredictionCol(String name) {
    set(columns.prediction, Given.required(columns.prediction.name(), name));
    return self();
  }

  /** {@code nan}: a row with a label that the model lacks has NaN; {@code drop}: it is left out. */
  public final M setColdStartStrategy(String strategy) {
    set(columns.coldStart, Given.required(columns.coldStart.name(), strategy));
    return self();
  }

  @SuppressWarnings("unchecked")
  private M self() {
    return (M) this;
  }

  @Override
  public StructType transformSchema(StructType schema) {
    return columns.transformed(schema);
  }

  /**
   * The rows with the model's value in another column.
   *
   * @throws org.weft.error.WeftException {@code USAGE} for a column that {@code rows} lacks
   */
  @Override
  public Dataset<Row> transform(Dataset<?> rows) {
    transformSchema(Given.required("rows", rows).schema(), true);
    String name = columns.predictionName();
    Dataset<Row> predicted = tables.predict(rows.toDF(), name);
    String column = TableModel.quoted(name);
    if (columns.drops()) {
      return predicted.where(functions.col(column).isNotNull());
    }
    return predicted.withColumn(
        name, functions.coalesce(functions.col(column), functions.lit(Double.NaN)));
  }

  /**
   * The model's value at one cell; NaN if a label is not one of the model's.
   *
   * @param cell a label of each mode, by the mode's column
   * @throws org.weft.error.WeftException {@code USAGE} for a mode without a label
   */
  public final double predict(Map<String, ?> cell) {
    return tables.predict(Given.required("cell", cell));
  }

  /**
   * The {@code count} labels of a mode with the highest predictions, for each distinct row of
   * labels of other modes; modes of which {@code rows} has no column are averaged over. Rows with
   * labels that the model lacks are left out.
   *
   * @return the columns of labels, and {@code recommendations}: an array of {@code {mode,
   *     prediction}}, the highest prediction first
   * @throws org.weft.error.WeftException {@code USAGE} for a mode that is not there, and for rows
   *     without a column of another mode
   */
  public final Dataset<Row> recommend(Dataset<?> rows, String mode, int count) {
    Given.required("rows", rows);
    return tables.recommend(rows.toDF(), Given.required("mode", mode), count);
  }

  /**
   * The factor of a mode: its labels in a column of its name, {@code coordinate} from 0, and {@code
   * weights}, an array of doubles.
   *
   * @throws org.weft.error.WeftException {@code USAGE} for a mode that is not there
   */
  public final Dataset<Row> factors(String mode) {
    int number = tables.modes().indexOf(mode);
    if (number < 0) {
      throw ColumnParams.usage("expected a mode of " + tables.modes() + ", found '" + mode + "'");
    }
    return tables.factors().get(number).withColumnRenamed(TableModel.LABEL, mode);
  }

  /** {@code 1 - |T - model| / |T|}: 1 for a model that equals the tensor. */
  public final double fit() {
    return iterations.kept() == 0 ? 0 : iterations.fits().get(iterations.kept() - 1);
  }

  /** The fit after each iteration. */
  public final double[] fits() {
    return Iterations.numbers(iterations.fits());
  }

  @Override
  public final MLWriter write() {
    return new ModelWriter(this);
  }

  final TableModel tables() {
    return tables;
  }

  @Override
  public M copy(ParamMap extra) {
    M copy = copyValues(again(), extra);
    if (hasParent()) {
      copy.setParent(parent());
    }
    return copy;
  }

  /** The same model, with no params set. */
  abstract M again();

  final Iterations iterations() {
    return iterations;
  }
}
