package org.weft.spark.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A decomposition as tables.
 *
 * @param modes their names, which are those of columns of labels in other tables
 * @param factors for each mode the columns {@code label}, of any type that can be compared, {@code
 *     coordinate}, a long, and {@code weights}, an array of doubles
 */
public record TableModel(List<String> modes, List<Dataset<Row>> factors, ModelValue value) {
  public static final String LABEL = "label";
  public static final String COORDINATE = "coordinate";
  public static final String WEIGHTS = "weights";

  public TableModel {
    modes = List.copyOf(modes);
    factors = List.copyOf(factors);
  }

  /**
   * {@code rows} with the model's value in another column: null where a label is not one of the
   * model's. A join for each mode.
   *
   * @throws WeftException {@code USAGE} for a column that {@code rows} lacks, or that has no labels
   *     of the mode's type
   */
  public Dataset<Row> predict(Dataset<Row> rows, String prediction) {
    for (int mode = 0; mode < modes.size(); mode++) {
      requireColumn(rows, mode);
    }
    Dataset<Row> joined = rows;
    for (int mode = 0; mode < modes.size(); mode++) {
      joined = joined(joined, mode, "left");
    }
    ModelValue model = value;
    UDF1<Seq<Seq<Object>>, @Nullable Double> at =
        weights -> {
          double[][] found = rows(weights);
          return Arrays.stream(found).anyMatch(row -> row.length == 0) ? null : model.at(found);
        };
    Column predicted = functions.udf(at, DataTypes.DoubleType).apply(functions.array(weights()));
    List<Column> columns = new ArrayList<>();
    for (String column : rows.columns()) {
      columns.add(functions.col(quoted(column)));
    }
    columns.add(predicted.as(prediction));
    return joined.select(columns.toArray(Column[]::new));
  }

  /**
   * The model's value at one cell; NaN if a label is not one of the model's.
   *
   * @param cell a label of each mode, by name
   * @throws WeftException {@code USAGE} for a mode without a label
   */
  public double predict(Map<String, ?> cell) {
    SparkSession spark = factors.get(0).sparkSession();
    Column[] labels =
        cell.entrySet().stream()
            .map(label -> cell(spark, label.getKey(), label.getValue()).as(label.getKey()))
            .toArray(Column[]::new);
    Dataset<Row> row = spark.range(1).select(labels);
    Row found = predict(row, "__weft_value").first();
    return found.isNullAt(cell.size()) ? Double.NaN : found.getDouble(cell.size());
  }

  private Column cell(SparkSession spark, String mode, @Nullable Object label) {
    int number = modes.indexOf(mode);
    return number < 0 || label == null
        ? functions.lit(null)
        : LabelColumns.cell(spark, mode, label, labelType(number));
  }

  private DataType labelType(int mode) {
    return factors.get(mode).schema().apply(LABEL).dataType();
  }

  /**
   * The labels of a mode with the highest values of the model, for each distinct row of labels of
   * other modes. Modes of which {@code rows} has no column are averaged over all their labels.
   *
   * @param rows with a column for at least one other mode, of its name; rows with labels that the
   *     model lacks are left out
   * @param count labels for each row at most
   * @return the columns of labels, and {@code recommendations}: an array of {@code {mode,
   *     prediction}} with the highest prediction first
   * @throws WeftException {@code USAGE} for a mode that is not there, {@code count} below 1, and
   *     rows without a column of another mode
   */
  public Dataset<Row> recommend(Dataset<Row> rows, String mode, int count) {
    int target = modes.indexOf(mode);
    if (target < 0) {
      throw usage("expected a mode of " + modes + ", found '" + mode + "'");
    }
    if (count < 1) {
      throw usage("expected at least 1 label for each row, found " + count);
    }
    List<String> present = List.of(rows.columns());
    List<Integer> given =
        IntStream.range(0, modes.size())
            .filter(m -> m != target && present.contains(modes.get(m)))
            .boxed()
            .toList();
    if (given.isEmpty()) {
      throw usage(
          "expected a column for a mode of "
              + modes
              + " other than "
              + mode
              + ", found "
              + String.join(", ", present));
    }
    return new Recommendations(this, target, given).best(rows, count);
  }

  /** With the weights of {@code mode} for each row's label. */
  Dataset<Row> joined(Dataset<Row> rows, int mode, String kind) {
    requireColumn(rows, mode);
    String name = modes.get(mode);
    String key = "__weft_key" + mode;
    Dataset<Row> factor =
        factors
            .get(mode)
            .select(functions.col(LABEL).as(key), functions.col(WEIGHTS).as(weights(mode)));
    return rows.join(factor, functions.col(quoted(name)).equalTo(functions.col(key)), kind);
  }

  private void requireColumn(Dataset<Row> rows, int mode) {
    String name = modes.get(mode);
    List<String> present = List.of(rows.columns());
    if (!present.contains(name)) {
      throw usage("expected a column '" + name + "', found " + String.join(", ", present));
    }
    LabelColumns.requireComparable(name, rows.schema().apply(name).dataType(), labelType(mode));
  }

  private Column[] weights() {
    return IntStream.range(0, modes.size())
        .mapToObj(mode -> functions.col(weights(mode)))
        .toArray(Column[]::new);
  }

  static String weights(int mode) {
    return "__weft_weights" + mode;
  }

  /** Rows of factors as Spark gives them; a row of no numbers is a label that is not there. */
  static double[][] rows(Seq<Seq<Object>> weights) {
    double[][] rows = new double[weights.size()][];
    for (int n = 0; n < rows.length; n++) {
      rows[n] = row(weights.apply(n));
    }
    return rows;
  }

  static double[] row(@Nullable Seq<Object> weights) {
    return weights == null
        ? new double[0]
        : CollectionConverters.asJava(weights).stream().mapToDouble(w -> (Double) w).toArray();
  }

  /** The name of a column in an expression of Spark SQL. */
  public static String quoted(String column) {
    return "`" + column.replace("`", "``") + "`";
  }

  private static WeftException usage(String message) {
    return new WeftException(ErrorCode.USAGE, message);
  }
}
