package org.weft.sql;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.weft.api.ModelRun;
import org.weft.api.Tensor;
import org.weft.api.TensorModel;
import org.weft.api.Weft;
import org.weft.spark.model.TableModel;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The model of a decomposition as a table: a row for each label and column of a factor. With the
 * option {@code rows}, which names a table, it is that table with the model's value of each row.
 *
 * <p>{@code tensor} is a table, a view or a path; {@code modes} and {@code value} name columns of a
 * table, of which the last is the value otherwise.
 *
 * @param <M> the model
 */
abstract class ModelSource<M extends TensorModel> implements ComputedSource {
  static final String TENSOR = "tensor";
  private static final String MODES = "modes";
  private static final String VALUE = "value";
  static final String ROWS = "rows";
  private static final String ITERATIONS = "iterations";
  private static final String TOLERANCE = "tolerance";
  private static final String SEED = "seed";
  private static final String STARTS = "starts";
  private static final String PREDICTION = "prediction";
  private static final Set<String> COMMON =
      Set.of(TENSOR, MODES, VALUE, ROWS, ITERATIONS, TOLERANCE, SEED, STARTS);

  private static final StructType FACTORS =
      new StructType()
          .add("mode", DataTypes.StringType)
          .add("label", DataTypes.StringType)
          .add("coordinate", DataTypes.LongType)
          .add("component", DataTypes.IntegerType)
          .add("weight", DataTypes.DoubleType)
          .add("lambda", DataTypes.DoubleType)
          .add("fit", DataTypes.DoubleType);

  private final String name;
  private final Set<String> options;

  /**
   * @param name of the format
   * @param own options that other decompositions lack, in lower case
   */
  ModelSource(String name, Set<String> own) {
    this.name = name;
    this.options = new HashSet<>(COMMON);
    this.options.addAll(own);
  }

  @Override
  public final String shortName() {
    return name;
  }

  /** The run of a tensor that the options ask for. What is needed of the options is checked now. */
  abstract Function<Tensor, ModelRun<?, M>> run(TableSettings settings);

  /** For each column of the factor of a mode, how much it counts. */
  abstract double[] lambda(M model, int mode);

  /** What is shown of a model. */
  record Shown<M>(StructType schema, Function<M, Dataset<Row>> rows) {}

  /** What is shown of a model without the option {@code rows}: the factors, if nothing else. */
  Shown<M> shown(SparkSession spark, TableSettings settings) {
    return new Shown<>(FACTORS, this::factors);
  }

  @Override
  public final BaseRelation createRelation(
      SQLContext context, scala.collection.immutable.Map<String, String> given) {
    SparkSession spark = context.sparkSession();
    TableSettings settings = new TableSettings(name, CollectionConverters.asJava(given), options);
    SqlOperand tensor =
        SqlOperand.of(spark, settings.required(TENSOR, "the name of a table or a path"));
    if (tensor instanceof SqlOperand.Scalar) {
      throw settings.wrong("expected a table or a path as 'tensor', found a number");
    }
    for (String columns : List.of(MODES, VALUE)) {
      if (tensor instanceof SqlOperand.Path path && settings.text(columns).isPresent()) {
        throw settings.wrong(
            "expected a table as 'tensor' with '" + columns + "', found the path " + path.uri());
      }
    }
    Function<Tensor, ModelRun<?, M>> run = run(settings);
    Function<Tensor, M> model = read -> configured(run.apply(read), settings).run();
    Shown<M> shown = shown(spark, settings);
    if (settings.text(ROWS).isEmpty()) {
      return new ComputedRelation(
          context,
          shown.schema(),
          weft -> shown.rows().apply(model.apply(tensor(weft, tensor, settings))));
    }
    Dataset<Row> rows = spark.table(settings.text(ROWS).get());
    if (List.of(rows.columns()).contains(PREDICTION)) {
      throw settings.wrong("expected 'rows' without a column 'prediction', found one; rename it");
    }
    return new ComputedRelation(
        context,
        rows.schema().add(PREDICTION, DataTypes.DoubleType),
        weft -> {
          Tensor read = tensor(weft, tensor, settings);
          requireColumns(settings, rows, read.modes());
          return model.apply(read).transform(rows);
        });
  }

  /** Says before the model runs what its predictions would lack. */
  private static void requireColumns(
      TableSettings settings, Dataset<Row> rows, List<String> modes) {
    List<String> columns = List.of(rows.columns());
    for (String mode : modes) {
      if (columns.stream().noneMatch(mode::equalsIgnoreCase)) {
        throw settings.wrong(
            "expected 'rows' with a column for each mode, "
                + String.join(", ", modes)
                + ", found "
                + String.join(", ", columns));
      }
    }
  }

  private static Tensor tensor(Weft weft, SqlOperand operand, TableSettings settings) {
    if (operand instanceof SqlOperand.Table table) {
      List<String> columns = List.of(table.rows().columns());
      String value = settings.text(VALUE).orElse(columns.get(columns.size() - 1));
      List<String> modes =
          settings
              .text(MODES)
              .map(names -> Arrays.stream(names.split(",")).map(String::strip).toList())
              .orElse(columns.stream().filter(name -> !name.equals(value)).toList());
      return weft.tensor(table.rows(), modes, value);
    }
    return weft.tensor((String) operand.given());
  }

  private static <R extends ModelRun<?, ?>> R configured(R run, TableSettings settings) {
    settings.count(ITERATIONS).ifPresent(run::iterations);
    settings.number(TOLERANCE).ifPresent(run::tolerance);
    settings.whole(SEED).ifPresent(run::seed);
    settings.count(STARTS).ifPresent(run::starts);
    return run;
  }

  private Dataset<Row> factors(M model) {
    Dataset<Row> all = null;
    List<String> modes = model.modes();
    for (int number = 0; number < modes.size(); number++) {
      String mode = modes.get(number);
      Column weight = functions.posexplode(functions.col(TableModel.WEIGHTS));
      Column lambda = functions.lit(lambda(model, number));
      Dataset<Row> rows =
          model
              .factors(mode)
              .toDF(TableModel.LABEL, TableModel.COORDINATE, TableModel.WEIGHTS)
              .select(
                  functions.lit(mode).as("mode"),
                  functions.col(TableModel.LABEL).cast(DataTypes.StringType).as("label"),
                  functions.col(TableModel.COORDINATE),
                  weight.as(new String[] {"component", "weight"}))
              .withColumn(
                  "lambda", functions.element_at(lambda, functions.col("component").plus(1)));
      all = all == null ? rows : all.union(rows);
    }
    if (all == null) {
      throw new IllegalStateException("a model without modes");
    }
    return all.withColumn("fit", functions.lit(model.fit()));
  }
}
