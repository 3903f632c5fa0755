package org.weft.spark.table;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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
 * its labels, {@code string}, where they are asked for; the value last.
 *
 * @param modes names of the coordinate columns
 * @param labelled modes with a column of labels, named {@code MODE_label}
 * @param value name of the value column
 * @param type of the values
 * @param base what the first slice is called in the table, 0 or 1
 */
record TensorColumns(
    List<String> modes, Set<Integer> labelled, String value, ValueType type, long base)
    implements Serializable {
  private static final String LABEL_SUFFIX = "_label";

  TensorColumns {
    modes = new ArrayList<>(modes);
    labelled = new HashSet<>(labelled);
  }

  /** What a column shows. */
  enum Kind {
    COORDINATE,
    LABEL,
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
      columns.add(new Column(modes.get(mode), Kind.COORDINATE, mode, DataTypes.LongType));
      if (labelled.contains(mode)) {
        columns.add(
            new Column(modes.get(mode) + LABEL_SUFFIX, Kind.LABEL, mode, DataTypes.StringType));
      }
    }
    columns.add(new Column(value, Kind.VALUE, -1, valueType()));
    return columns;
  }

  private DataType valueType() {
    return switch (type) {
      case DOUBLE -> DataTypes.DoubleType;
      case FLOAT -> DataTypes.FloatType;
      case INT -> DataTypes.IntegerType;
      case LONG -> DataTypes.LongType;
    };
  }

  /** Only labels can be missing. */
  StructType schema() {
    return new StructType(
        all().stream()
            .map(c -> DataTypes.createStructField(c.name(), c.type(), c.kind() == Kind.LABEL))
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

  /** The mode whose coordinates the column {@code name} shows. */
  OptionalInt mode(String name) {
    int mode = modes.indexOf(name);
    return mode < 0 ? OptionalInt.empty() : OptionalInt.of(mode);
  }
}
