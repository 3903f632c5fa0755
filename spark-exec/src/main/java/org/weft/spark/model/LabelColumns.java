package org.weft.spark.model;

import org.apache.spark.SparkRuntimeException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.OrderUtils;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.key.LabelBytes;

/**
 * Which columns have labels and values, and which labels are compared with each other. Spark itself
 * finds out late, with the plan of a query in the message, and casts the labels of a model to the
 * type of a column.
 */
public final class LabelColumns {
  private LabelColumns() {}

  /**
   * Checks that the cells of a column can be labels.
   *
   * @throws WeftException {@code USAGE}
   */
  public static void requireLabels(StructType schema, String column) {
    DataType type = schema.apply(column).dataType();
    if (!OrderUtils.isOrderable(type)) {
      throw usage(
          "expected labels that can be compared in column '"
              + column
              + "', found "
              + type.simpleString());
    }
    try {
      LabelBytes.of(type);
    } catch (WeftException e) {
      throw new WeftException(e.code(), "column '" + column + "': " + e.getMessage(), e);
    }
  }

  /**
   * Checks that the cells of a column can be values.
   *
   * @throws WeftException {@code USAGE}
   */
  public static void requireNumbers(StructType schema, String column) {
    DataType type = schema.apply(column).dataType();
    if (!(type instanceof NumericType)) {
      throw usage(
          "expected a number in column '"
              + column
              + "', found "
              + type.simpleString()
              + "; cast it");
    }
  }

  /** Rejects a column whose cells are compared with labels of a type that they do not have. */
  static void requireComparable(String column, DataType found, DataType labels) {
    if (!isComparable(found, labels)) {
      throw usage(
          "expected labels of type "
              + labels.simpleString()
              + " in column '"
              + column
              + "', as in the model, found "
              + found.simpleString()
              + "; cast it");
    }
  }

  private static boolean isComparable(DataType one, DataType other) {
    return one instanceof NullType || kind(one).equals(kind(other));
  }

  /** Types of one kind are compared without loss. */
  private static Class<?> kind(DataType type) {
    if (type instanceof NumericType) {
      return NumericType.class;
    }
    if (type instanceof StringType) {
      return StringType.class;
    }
    boolean isTime =
        type instanceof DateType
            || type instanceof TimestampType
            || type instanceof TimestampNTZType;
    return isTime ? DateType.class : type.getClass();
  }

  /**
   * A label of a program as a cell that is compared with labels of {@code type}. Text stands for
   * the label that is written so, and null for text that no label is written as. A label is text
   * beside labels that are text.
   *
   * @throws WeftException {@code USAGE} for a label of another type
   */
  public static Column cell(SparkSession spark, String mode, Object label, DataType type) {
    boolean isText = type instanceof StringType;
    if (label instanceof String && !isText && Cast.canTryCast(DataTypes.StringType, type)) {
      return functions.lit(label).try_cast(type);
    }
    Column cell = functions.lit(isText ? label.toString() : label);
    DataType found;
    try {
      found = spark.range(1).select(cell).schema().apply(0).dataType();
    } catch (SparkRuntimeException e) {
      throw new WeftException(
          ErrorCode.USAGE,
          expected(mode, type) + "found a value of Java's " + label.getClass().getTypeName(),
          e);
    }
    if (!isComparable(found, type)) {
      throw usage(expected(mode, type) + "found one of type " + found.simpleString());
    }
    return cell;
  }

  private static String expected(String mode, DataType type) {
    return mode + ": expected a label of type " + type.simpleString() + ", ";
  }

  private static WeftException usage(String message) {
    return new WeftException(ErrorCode.USAGE, message);
  }
}
