package org.weft.spark.table;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Which columns of a table become a tensor, and what they may hold.
 *
 * @param uri of the output, for messages
 * @param modes the coordinate columns, in mode order
 * @param value the value column
 * @param type of the values, as the tensor keeps them
 * @param base what the first slice is called in the table
 * @param nonfinite whether NaN and infinities are values
 * @param shape mode sizes, or null: the largest coordinates decide
 */
record WriteColumns(
    String uri,
    List<String> modes,
    String value,
    ValueType type,
    long base,
    boolean nonfinite,
    @Nullable TensorShape shape)
    implements Serializable {
  WriteColumns {
    modes = new ArrayList<>(modes);
  }

  /**
   * Finds the columns: those that the option {@code modes} names, or those named as {@code present}
   * names its modes, or all but the value.
   *
   * @param present names of the modes of the tensor that is added to; empty for a new one
   * @param kept type of the values of that tensor; null: the column's own
   * @throws org.weft.error.WeftException {@code USAGE} for a column that is missing, not wanted, or
   *     of another type
   */
  static WriteColumns of(
      String uri,
      StructType schema,
      TableOptions options,
      List<String> present,
      @Nullable ValueType kept) {
    String value = field(schema, options.value(), uri, options).name();
    List<String> asked = options.names(TableOptions.MODES);
    List<String> wanted = asked.isEmpty() ? present : asked;
    List<String> modes = new ArrayList<>();
    if (wanted.isEmpty()) {
      Arrays.stream(schema.fieldNames()).filter(n -> !n.equals(value)).forEach(modes::add);
    } else {
      wanted.forEach(name -> modes.add(field(schema, name, uri, options).name()));
    }
    List<String> unknown =
        Arrays.stream(schema.fieldNames())
            .filter(n -> !n.equals(value) && !modes.contains(n))
            .toList();
    if (!unknown.isEmpty() || modes.isEmpty() || modes.stream().distinct().count() < modes.size()) {
      throw options.wrong(
          uri
              + ": expected a column for each mode and '"
              + value
              + "', found columns "
              + Arrays.toString(schema.fieldNames())
              + " for modes "
              + modes
              + "; select the columns, or name them with the options modes and value");
    }
    if (!present.isEmpty() && modes.size() != present.size()) {
      throw options.wrong(
          uri + ": expected columns for the modes " + present + " of the tensor, found " + modes);
    }
    for (String mode : modes) {
      DataType type = field(schema, mode, uri, options).dataType();
      if (!isIntegral(type)) {
        throw wrongType(
            uri, mode, "coordinates of type bigint, int, smallint or tinyint", type, options);
      }
    }
    TensorShape shape = options.shape().orElse(null);
    if (shape != null && shape.order() != modes.size()) {
      throw options.wrong(
          uri + ": expected " + modes.size() + " mode sizes in shape, found " + shape);
    }
    return new WriteColumns(
        uri,
        modes,
        value,
        valueType(uri, value, field(schema, value, uri, options).dataType(), kept, options),
        options.base(),
        options.flag(TableOptions.NONFINITE, false),
        shape);
  }

  private static StructField field(
      StructType schema, String name, String uri, TableOptions options) {
    Optional<StructField> found =
        Arrays.stream(schema.fields()).filter(f -> f.name().equals(name)).findFirst();
    if (found.isPresent()) {
      return found.get();
    }
    List<StructField> alike =
        Arrays.stream(schema.fields()).filter(f -> f.name().equalsIgnoreCase(name)).toList();
    if (alike.size() != 1) {
      throw options.wrong(
          uri
              + ": expected a column '"
              + name
              + "', found columns "
              + Arrays.toString(schema.fieldNames())
              + "; rename one, or name the columns with the options modes and value");
    }
    return alike.get(0);
  }

  private static boolean isIntegral(DataType type) {
    return type.equals(DataTypes.LongType)
        || type.equals(DataTypes.IntegerType)
        || type.equals(DataTypes.ShortType)
        || type.equals(DataTypes.ByteType);
  }

  private static org.weft.error.WeftException wrongType(
      String uri, String column, String expected, DataType found, TableOptions options) {
    return options.wrong(
        uri
            + ": column '"
            + column
            + "': expected "
            + expected
            + ", found "
            + found.sql().toLowerCase(java.util.Locale.ROOT)
            + "; cast it");
  }

  /** The tensor's type if it holds every value of the column's; checked again row by row. */
  private static ValueType valueType(
      String uri, String column, DataType type, @Nullable ValueType kept, TableOptions options) {
    ValueType own;
    if (type.equals(DataTypes.DoubleType)) {
      own = ValueType.DOUBLE;
    } else if (type.equals(DataTypes.FloatType)) {
      own = ValueType.FLOAT;
    } else if (type.equals(DataTypes.LongType)) {
      own = ValueType.LONG;
    } else if (isIntegral(type)) {
      own = ValueType.INT;
    } else {
      throw wrongType(uri, column, "values of a number type but decimal", type, options);
    }
    if (kept == null || kept == own || kept == ValueType.DOUBLE) {
      return kept == null ? own : kept;
    }
    if (kept == ValueType.LONG && own == ValueType.INT) {
      return kept;
    }
    throw wrongType(
        uri, column, "values of type " + kept.keyword() + ", which the tensor has", type, options);
  }

  /** The rows of {@code data} as {@link RowEntries} takes them: coordinates, then the value. */
  Dataset<Row> select(Dataset<Row> data) {
    Column[] columns = new Column[modes.size() + 1];
    for (int mode = 0; mode < modes.size(); mode++) {
      columns[mode] = column(modes.get(mode)).cast(DataTypes.LongType).as("c" + mode);
    }
    DataType type = data.schema().apply(value).dataType();
    boolean integral = isIntegral(type);
    columns[modes.size()] =
        column(value).cast(integral ? DataTypes.LongType : DataTypes.DoubleType).as("v");
    return data.select(columns);
  }

  private static Column column(String name) {
    return functions.col("`" + name.replace("`", "``") + "`");
  }

  /** The columns of {@link #select} to sort by. */
  static Column[] order(int[] modeOrder) {
    return Arrays.stream(modeOrder).mapToObj(m -> functions.col("c" + m)).toArray(Column[]::new);
  }
}
