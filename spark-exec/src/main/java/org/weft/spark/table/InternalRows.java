package org.weft.spark.table;

import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.DeterministicLevel;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.OrderUtils;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.exchange.Exchange;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.runtime.AbstractFunction1;

/** The rows of a table as Spark holds them, without an object for each cell. */
public final class InternalRows {
  private InternalRows() {}

  /** Rows are valid until the next one is asked for. */
  static JavaRDD<InternalRow> of(Dataset<Row> table) {
    return ((org.apache.spark.sql.classic.Dataset<Row>) table).queryExecution().toRdd().toJavaRDD();
  }

  /** A table of rows, whose cells are as Spark holds them. */
  public static Dataset<Row> table(
      SparkSession spark, JavaRDD<InternalRow> rows, StructType schema) {
    return ((org.apache.spark.sql.classic.SparkSession) spark)
        .internalCreateDataFrame(rows.rdd(), schema, false);
  }

  /**
   * {@code table}, or, if its rows may come in another order when Spark computes them again, its
   * rows sorted in each partition. A task that runs again after a loss then has the same rows.
   */
  public static Dataset<Row> inOneOrder(Dataset<Row> table) {
    SparkPlan plan =
        ((org.apache.spark.sql.classic.Dataset<Row>) table).queryExecution().executedPlan();
    // Of other plans the making of an RDD already runs parts, which then run again.
    boolean plain =
        !(plan instanceof AdaptiveSparkPlanExec)
            && plan.subqueriesAll().isEmpty()
            && !plan.exists(new IsExchange());
    boolean same =
        plain && of(table).rdd().outputDeterministicLevel() == DeterministicLevel.DETERMINATE();
    Column[] all =
        Stream.of(table.schema().fields())
            .filter(field -> OrderUtils.isOrderable(field.dataType()))
            .map(field -> functions.col("`" + field.name().replace("`", "``") + "`"))
            .toArray(Column[]::new);
    return same ? table : table.sortWithinPartitions(all);
  }

  private static final class IsExchange extends AbstractFunction1<SparkPlan, Object> {
    @Override
    public Object apply(SparkPlan plan) {
      return plan instanceof Exchange;
    }
  }

  /** Whether the last column, the value, is {@code bigint}. */
  static boolean isIntegral(Dataset<Row> selected) {
    int last = selected.columns().length - 1;
    return selected.schema().fields()[last].dataType().equals(DataTypes.LongType);
  }
}
