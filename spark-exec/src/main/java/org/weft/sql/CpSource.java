package org.weft.sql;

import com.google.auto.service.AutoService;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.sources.RelationProvider;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.weft.api.CpModel;
import org.weft.api.CpdRun;
import org.weft.api.Tensor;
import org.weft.api.Weft;
import org.weft.spark.model.TableModel;
import scala.jdk.javaapi.CollectionConverters;

/**
 * {@code format("weft-cp")}: the factors of a CP decomposition, a row for each label and component.
 *
 * <pre>{@code
 * spark.read.format("weft-cp").option("tensor", "sales").option("modes", "user,item,week")
 *     .option("value", "count").option("rank", "16").load()
 * }</pre>
 *
 * <p>{@code tensor} is a table, a view or a path; {@code modes} and {@code value} name columns of a
 * table, of which the last is the value otherwise.
 */
@AutoService(DataSourceRegister.class)
public final class CpSource implements RelationProvider, DataSourceRegister {
  static final String NAME = "weft-cp";
  static final String TENSOR = "tensor";
  static final String RANK = "rank";
  private static final String MODES = "modes";
  private static final String VALUE = "value";
  private static final String STARTS = "starts";
  private static final String METHOD = "method";
  private static final String SAMPLE = "sample";
  private static final String POLISH = "polish";
  private static final Set<String> OPTIONS =
      Set.of(
          TENSOR,
          RANK,
          MODES,
          VALUE,
          "iterations",
          "tolerance",
          "seed",
          STARTS,
          "nonnegative",
          METHOD,
          SAMPLE,
          POLISH);

  private static final StructType SCHEMA =
      new StructType()
          .add("mode", DataTypes.StringType)
          .add("label", DataTypes.StringType)
          .add("coordinate", DataTypes.LongType)
          .add("component", DataTypes.IntegerType)
          .add("weight", DataTypes.DoubleType)
          .add("lambda", DataTypes.DoubleType)
          .add("fit", DataTypes.DoubleType);

  @Override
  public String shortName() {
    return NAME;
  }

  @Override
  public BaseRelation createRelation(
      SQLContext context, scala.collection.immutable.Map<String, String> options) {
    SparkSession spark = context.sparkSession();
    TableSettings settings = new TableSettings(NAME, CollectionConverters.asJava(options), OPTIONS);
    SqlOperand tensor =
        SqlOperand.of(spark, settings.required(TENSOR, "the name of a table or a path"));
    if (tensor instanceof SqlOperand.Scalar) {
      throw settings.wrong("expected a table or a path as 'tensor', found a number");
    }
    String given = settings.required(RANK, "16");
    int rank = (int) Math.min(settings.whole(RANK, 0), Integer.MAX_VALUE);
    if (rank < 1) {
      throw settings.wrong("expected option 'rank' of at least 1, such as 16; found " + given);
    }
    return new ComputedRelation(
        context,
        SCHEMA,
        weft -> table(configured(tensor(weft, tensor, settings).cpd(rank), settings).run()));
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

  private static CpdRun configured(CpdRun run, TableSettings settings) {
    settings
        .text("iterations")
        .ifPresent(text -> run.iterations(Math.toIntExact(settings.whole("iterations", 0))));
    settings.text("tolerance").ifPresent(text -> run.tolerance(settings.number("tolerance", 0)));
    settings.text("seed").ifPresent(text -> run.seed(settings.whole("seed", 0)));
    settings.text(STARTS).ifPresent(text -> run.starts(Math.toIntExact(settings.whole(STARTS, 0))));
    settings.text(METHOD).ifPresent(run::method);
    settings.text(SAMPLE).ifPresent(text -> run.sample(settings.number(SAMPLE, 0)));
    settings.text(POLISH).ifPresent(text -> run.polish(Math.toIntExact(settings.whole(POLISH, 0))));
    if (Boolean.parseBoolean(settings.text("nonnegative").orElse("false"))) {
      run.nonnegative();
    }
    return run;
  }

  private static Dataset<Row> table(CpModel model) {
    Dataset<Row> all = null;
    for (String mode : model.modes()) {
      Column weight = functions.posexplode(functions.col(TableModel.WEIGHTS));
      Dataset<Row> rows =
          model
              .factors(mode)
              .select(
                  functions.lit(mode).as("mode"),
                  functions.col(TableModel.quoted(mode)).cast(DataTypes.StringType).as("label"),
                  functions.col(TableModel.COORDINATE),
                  weight.as(new String[] {"component", "weight"}));
      all = all == null ? rows : all.union(rows);
    }
    if (all == null) {
      throw new IllegalStateException("a model without modes");
    }
    Column lambda = functions.lit(model.lambda());
    return all.withColumn(
            "lambda", functions.element_at(lambda, functions.col("component").plus(1)))
        .withColumn("fit", functions.lit(model.fit()));
  }
}
