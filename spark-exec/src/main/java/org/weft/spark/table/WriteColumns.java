package org.weft.spark.table;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.container.Container;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Which columns of a table become a tensor, and what they may hold.
 *
 * @param uri of the output, for messages
 * @param modes the columns of the modes, in mode order
 * @param labelled modes whose columns hold labels rather than coordinates
 * @param value the value column
 * @param type of the values, as the tensor keeps them
 * @param base what the first slice is called in the table
 * @param nonfinite whether NaN and infinities are values
 * @param shape mode sizes, or null: the largest coordinates decide
 */
record WriteColumns(
    String uri,
    List<String> modes,
    SortedSet<Integer> labelled,
    String value,
    ValueType type,
    long base,
    boolean nonfinite,
    @Nullable TensorShape shape)
    implements Serializable {
  WriteColumns {
    modes = new ArrayList<>(modes);
    labelled = new TreeSet<>(labelled);
  }

  /** What a tensor is written to, as far as columns go. */
  sealed interface Target {
    /** Names of the modes that are there. */
    default List<String> names() {
      return List.of();
    }

    /** Type of the values that are there; null: the column's own. */
    default @Nullable ValueType valueType() {
      return null;
    }

    /** A file, which has no place for labels, and takes values of {@code type}. */
    record File(ValueType type) implements Target {
      @Override
      public ValueType valueType() {
        return type;
      }
    }

    /** A new container. */
    record Made() implements Target {}

    /** A container that is added to. */
    record Grown(Container base) implements Target {
      @Override
      public List<String> names() {
        return base.modeNames();
      }

      @Override
      public ValueType valueType() {
        return base.valueType();
      }
    }
  }

  /**
   * Finds the columns: those that the option {@code modes} names, or those named as the modes of
   * the tensor that is added to, or all but the value.
   *
   * @throws org.weft.error.WeftException {@code USAGE} for a column that is missing, not wanted, or
   *     of another type
   */
  static WriteColumns of(String uri, StructType schema, TableOptions options, Target target) {
    List<String> present = target.names();
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
    SortedSet<Integer> labelled = labelled(uri, schema, modes, options, target);
    TensorShape shape = options.shape().orElse(null);
    if (shape != null && shape.order() != modes.size()) {
      throw options.wrong(
          uri + ": expected " + modes.size() + " mode sizes in shape, found " + shape);
    }
    if (shape != null && !labelled.isEmpty()) {
      throw options.wrong(
          uri
              + ": expected no option shape with columns of labels, which decide the sizes of modes,"
              + " found "
              + shape
              + "; leave it out");
    }
    DataType values = field(schema, value, uri, options).dataType();
    return new WriteColumns(
        uri,
        modes,
        labelled,
        value,
        valueType(uri, value, values, target.valueType(), options),
        options.base(),
        options.flag(TableOptions.NONFINITE, false),
        shape);
  }

  /** The modes of {@code modes} whose columns are text; the others have coordinates. */
  private static SortedSet<Integer> labelled(
      String uri, StructType schema, List<String> modes, TableOptions options, Target target) {
    SortedSet<Integer> labelled = new TreeSet<>();
    for (int mode = 0; mode < modes.size(); mode++) {
      String column = modes.get(mode);
      DataType type = field(schema, column, uri, options).dataType();
      if (type instanceof StringType && !(target instanceof Target.File)) {
        requirePlace(uri, mode, column, target, options);
        labelled.add(mode);
      } else if (!isIntegral(type)) {
        String labels = target instanceof Target.File ? "" : ", or labels of type string";
        throw wrongType(
            uri,
            column,
            "coordinates of type bigint, int, smallint or tinyint" + labels,
            type,
            options);
      }
    }
    return labelled;
  }

  /** Labels need a dictionary: that of the tensor that is added to, or one that is made. */
  private static void requirePlace(
      String uri, int mode, String column, Target target, TableOptions options) {
    if (target instanceof Target.Grown grown && !grown.base().labels().modes().contains(mode)) {
      throw options.wrong(
          uri
              + ": column '"
              + column
              + "': expected coordinates (bigint), because mode "
              + grown.base().modeNames().get(mode)
              + " of the tensor has no labels, found labels (string); give coordinates, or write a new"
              + " tensor with labels");
    }
    if (options.labelFiles().containsKey(column)) {
      throw options.wrong(
          uri
              + ": expected labels of mode "
              + column
              + " in its column or in a file, found both; leave out labels."
              + column);
    }
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

  private static WeftException wrongType(
      String uri, String column, String expected, DataType found, TableOptions options) {
    return options.wrong(
        uri
            + ": column '"
            + column
            + "': expected "
            + expected
            + ", found "
            + found.sql().toLowerCase(Locale.ROOT)
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

  /**
   * The rows of {@code data}: coordinates {@code c0}, {@code c1}, ..., but labels {@code kM} for a
   * labelled mode M, and then the value {@code v}. Without labels, {@link RowEntries} takes them.
   */
  Dataset<Row> select(Dataset<Row> data) {
    Column[] columns = new Column[modes.size() + 1];
    for (int mode = 0; mode < modes.size(); mode++) {
      columns[mode] =
          labelled.contains(mode)
              ? label(mode).as("k" + mode)
              : column(modes.get(mode)).cast(DataTypes.LongType).as("c" + mode);
    }
    DataType type = data.schema().apply(value).dataType();
    boolean integral = isIntegral(type);
    columns[modes.size()] =
        column(value).cast(integral ? DataTypes.LongType : DataTypes.DoubleType).as("v");
    return data.select(columns);
  }

  /** The cells of a column of labels; the first that is none ends the job. */
  private Column label(int mode) {
    String name = modes.get(mode);
    String output = uri;
    // Bytes that are no text would else be different keys with one label.
    Column cell = functions.make_valid_utf8(column(name).cast(DataTypes.StringType));
    UDF1<String, Boolean> good = text -> text != null && !text.isBlank() && Labels.isLine(text);
    UDF1<Row, String> bad = row -> notALabel(output, name, row);
    Column[] all =
        Stream.concat(modes.stream(), Stream.of(value)).map(c -> column(c)).toArray(Column[]::new);
    return functions
        .when(functions.udf(good, DataTypes.BooleanType).apply(cell), cell)
        .otherwise(functions.udf(bad, DataTypes.StringType).apply(functions.struct(all)));
  }

  private static String notALabel(String uri, String column, Row row) {
    Object cell = row.getAs(column);
    StringJoiner cells = new StringJoiner(", ", "(", ")");
    for (String name : row.schema().fieldNames()) {
      String text = String.valueOf(row.<Object>getAs(name));
      cells.add(name + "=" + (text.length() > 100 ? text.substring(0, 100) + "..." : text));
    }
    String found =
        cell == null ? "null" : cell.toString().isBlank() ? "blank text" : "line ends or more text";
    throw new WeftException(
        ErrorCode.MALFORMED_INPUT,
        uri
            + ": column '"
            + column
            + "': expected a label of one line of at most 1 MiB, found "
            + found
            + " in row "
            + cells
            + "; nothing is written");
  }

  /**
   * The error of a row that cannot be written.
   *
   * @param cells of the modes and the value
   * @param column that is wrong
   */
  WeftException wrong(
      ErrorCode code, List<String> cells, String column, String expected, String found) {
    StringJoiner row = new StringJoiner(", ", "(", ")");
    for (int cell = 0; cell < cells.size(); cell++) {
      row.add((cell < modes.size() ? modes.get(cell) : value) + "=" + cells.get(cell));
    }
    return new WeftException(
        code,
        uri
            + ": column '"
            + column
            + "': expected "
            + expected
            + ", found "
            + found
            + " in row "
            + row
            + "; nothing is written");
  }

  private static Column column(String name) {
    return functions.col("`" + name.replace("`", "``") + "`");
  }

  /** The columns of {@link #select} to sort by. */
  static Column[] order(int[] modeOrder) {
    return Arrays.stream(modeOrder).mapToObj(m -> functions.col("c" + m)).toArray(Column[]::new);
  }
}
