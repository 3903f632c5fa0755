package org.weft.spark.ingest.line;

import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Columns beside those of the table that say where a row comes from: file; offset of the split in
 * bytes; line or row, from 1, in the split (text) or file (Parquet); the line itself; what is wrong
 * with the line as a whole. Null where the source does not know.
 */
public final class Place {
  public static final String FILE = "__weft_file";
  public static final String START = "__weft_start";
  public static final String LINE = "__weft_line";
  public static final String TEXT = "__weft_text";
  public static final String PROBLEM = "__weft_problem";

  private Place() {}

  public static boolean isPlace(String column) {
    return column.startsWith("__weft_");
  }

  /** Of a line that has not been taken apart. */
  public static StructType lineSchema() {
    return new StructType()
        .add(FILE, DataTypes.StringType)
        .add(START, DataTypes.LongType)
        .add(LINE, DataTypes.LongType)
        .add(TEXT, DataTypes.StringType)
        .add(PROBLEM, DataTypes.StringType);
  }
}
