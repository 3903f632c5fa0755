package org.weft.spark.table;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.ValueType;

/**
 * The columns of a tensor that is read: for each mode its coordinates, {@code bigint}, followed by
 * its labels, {@code string}, where they are asked for, or its labels alone; the value last.
 *
 * @param modes names of the coordinate columns
 * @param labelled modes with a column of labels, named {@code MODE_label}
 * @param instead whether that column is there in the place of coordinates, and named {@code MODE}
 * @param value name of the value column
 * @param type of the values
 * @param base what the first slice is called in the table, 0 or 1
 * @param declared types of columns that a table has been given in place of its own
 */
record TensorColumns(
    List<String> modes,
    Set<Integer> labelled,
    boolean instead,
    String value,
    ValueType type,
    long base,
    Map<String, DataType> declared)
    implements Serializable {
  private static final String LABEL_SUFFIX = "_label";

  TensorColumns {
    modes = new ArrayList<>(modes);
    labelled = new HashSet<>(labelled);
    declared = new HashMap<>(declared);
  }

  TensorColumns(
      List<String> modes,
      Set<Integer> labelled,
      boolean instead,
      String value,
      ValueType type,
      long base) {
    this(modes, labelled, instead, value, type, base, Map.of());
  }

  /**
   * The same columns with the types of {@code schema}: {@code int} for coordinates, and for values
   * those that hold all of the tensor's.
   *
   * @param uri for the message
   * @throws WeftException {@code USAGE} if {@code schema} has other columns or narrower types
   */
  TensorColumns as(StructType schema, String uri) {
    List<Column> own = all();
    Map<String, DataType> types = new HashMap<>();
    boolean fits = own.size() == schema.size();
    for (int c = 0; fits && c < own.size(); c++) {
      StructField field = schema.fields()[c];
      fits = field.name().equals(own.get(c).name()) && holds(field.dataType(), own.get(c));
      types.put(field.name(), field.dataType());
    }
    if (!fits) {
      throw new WeftException(
          ErrorCode.USAGE,
          uri
              + ": expected the schema "
              + schema().toDDL()
              + ", which the tensor has, found "
              + schema.toDDL()
              + "; leave the schema out, or name columns with the options modes and value");
    }
    return new TensorColumns(modes, labelled, instead, value, type, base, types);
  }

  private static boolean holds(DataType type, Column column) {
    DataType own = column.type();
    if (type.equals(own)) {
      return true;
    }
    return switch (column.kind()) {
      case COORDINATE -> type.equals(DataTypes.IntegerType); // checked entry by entry
      case LABEL, NAME -> false;
      case VALUE ->
          type.equals(DataTypes.DoubleType) && !own.equals(DataTypes.LongType)
              || type.equals(DataTypes.LongType) && own.equals(DataTypes.IntegerType);
    };
  }

  /** What a column shows. */
  enum Kind {
    COORDINATE,
    /** The label of a coordinate; null where it has none. */
    LABEL,
    /** The label of a coordinate; its number, from 1, where it has none. */
    NAME,
    VALUE
  }

  /**
   * @param mode of coordinates and labels; -1 for the value
   */
  record Column(String name, Kind kind, int mode, DataType type) implements Serializable {}

  /**
   * Fails if two columns have the same name, as SQL compares names.
   *
   * @param uri for the message
   */
  TensorColumns requireDistinct(String uri) {
    Set<String> seen = new HashSet<>();
    for (Column column : all()) {
      if (!seen.add(column.name().toLowerCase(Locale.ROOT))) {
        throw new WeftException(
            ErrorCode.USAGE,
            uri
                + ": expected columns of different names, found '"
                + column.name()
                + "' twice; name them with the options modes and value");
      }
    }
    return this;
  }

  List<Column> all() {
    List<Column> columns = new ArrayList<>();
    for (int mode = 0; mode < modes.size(); mode++) {
      if (isName(mode)) {
        columns.add(column(modes.get(mode), Kind.NAME, mode, DataTypes.StringType));
        continue;
      }
      columns.add(column(modes.get(mode), Kind.COORDINATE, mode, DataTypes.LongType));
      if (labelled.contains(mode)) {
        columns.add(column(modes.get(mode) + LABEL_SUFFIX, Kind.LABEL, mode, DataTypes.StringType));
      }
    }
    columns.add(column(value, Kind.VALUE, -1, valueType()));
    return columns;
  }

  private boolean isName(int mode) {
    return instead && labelled.contains(mode);
  }

  private Column column(String name, Kind kind, int mode, DataType own) {
    return new Column(name, kind, mode, declared.getOrDefault(name, own));
  }

  private DataType valueType() {
    return switch (type) {
      case DOUBLE -> DataTypes.DoubleType;
      case FLOAT -> DataTypes.FloatType;
      case INT -> DataTypes.IntegerType;
      case LONG -> DataTypes.LongType;
    };
  }

  /** Only labels can be missing; names to write are checked row by row. */
  StructType schema() {
    return new StructType(
        all().stream()
            .map(
                c ->
                    DataTypes.createStructField(
                        c.name(), c.type(), c.mode() >= 0 && c.kind() != Kind.COORDINATE))
            .toArray(StructField[]::new));
  }

  /** The columns of {@code schema}, which Spark has chosen from ours. */
  List<Column> of(StructType schema) {
    List<Column> chosen = new ArrayList<>();
    for (StructField field : schema.fields()) {
      chosen.add(
          find(field.name())
              .orElseThrow(() -> new IllegalArgumentException("no column " + field.name())));
    }
    return chosen;
  }

  private Optional<Column> find(String name) {
    return all().stream().filter(c -> c.name().equals(name)).findFirst();
  }

  /** The name of the column of coordinates beside a column of labels; else empty. */
  static String coordinates(String label) {
    return label.endsWith(LABEL_SUFFIX)
        ? label.substring(0, label.length() - LABEL_SUFFIX.length())
        : "";
  }

  /** The mode whose coordinates the column {@code name} shows. */
  OptionalInt mode(String name) {
    int mode = modes.indexOf(name);
    return mode < 0 || isName(mode) ? OptionalInt.empty() : OptionalInt.of(mode);
  }
}
