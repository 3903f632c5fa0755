package org.weft.spark.table;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataTypes;

/** The rows of a table as Spark holds them, without an object for each cell. */
final class InternalRows {
  private InternalRows() {}

  /** Rows are valid until the next one is asked for. */
  static JavaRDD<InternalRow> of(Dataset<Row> table) {
    return ((org.apache.spark.sql.classic.Dataset<Row>) table).queryExecution().toRdd().toJavaRDD();
  }

  /** Whether the last column, the value, is {@code bigint}. */
  static boolean isIntegral(Dataset<Row> selected) {
    int last = selected.columns().length - 1;
    return selected.schema().fields()[last].dataType().equals(DataTypes.LongType);
  }
}
