package org.weft.sql;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;

/** What a name in a statement stands for. */
sealed interface SqlOperand {
  /** What {@link org.weft.api.Weft#eval} takes. */
  Object given();

  /** Type of the column that has the labels or coordinates of a mode. */
  DataType type(int mode);

  /** A number, a path with the extension of a tensor, or else the name of a table or view. */
  static SqlOperand of(SparkSession spark, String text) {
    try {
      return new Scalar(Double.parseDouble(text.strip()));
    } catch (NumberFormatException e) {
      return isPath(text.strip())
          ? new Path(spark, text.strip())
          : new Table(spark.table(text.strip()));
    }
  }

  static boolean isPath(String text) {
    try {
      TensorFiles.requireKnownExtension(text);
      return true;
    } catch (WeftException e) {
      return false;
    }
  }

  /** A number. */
  record Scalar(double number) implements SqlOperand {
    @Override
    public Object given() {
      return number;
    }

    @Override
    public DataType type(int mode) {
      return DataTypes.LongType;
    }
  }

  /** A file with a tensor. */
  record Path(SparkSession spark, String uri) implements SqlOperand {
    @Override
    public Object given() {
      return uri;
    }

    @Override
    public DataType type(int mode) {
      FileAccess files = FileAccess.of(spark.sparkContext().hadoopConfiguration());
      return TensorFiles.labels(files, uri).containsKey(mode)
          ? DataTypes.StringType
          : DataTypes.LongType;
    }
  }

  /** A table whose last column is the value and whose others are modes. */
  record Table(Dataset<Row> rows) implements SqlOperand {
    @Override
    public Object given() {
      return rows;
    }

    @Override
    public DataType type(int mode) {
      List<String> columns = List.of(rows.columns());
      if (mode >= columns.size() - 1) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            "expected a table with a column for each label and a last one of values, found "
                + String.join(", ", columns));
      }
      return rows.schema().apply(columns.get(mode)).dataType();
    }
  }
}
