package org.weft.spark.table;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

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

  /** Whether the last column, the value, is {@code bigint}. */
  static boolean isIntegral(Dataset<Row> selected) {
    int last = selected.columns().length - 1;
    return selected.schema().fields()[last].dataType().equals(DataTypes.LongType);
  }
}
