package org.weft.storage.text;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.weft.runtime.LineParser;
import org.weft.tensor.ValueType;

/**
 * The columns of a coordinate line: {@code order} coordinates, then a value unless it is a pattern.
 *
 * @param base what the first coordinate of a mode is in the file: 0 or 1
 * @param sizes declared mode sizes, or null
 */
record EntryLayout(
    LineRules rules,
    int order,
    int base,
    long @Nullable [] sizes,
    Field field,
    Symmetry symmetry,
    String origin)
    implements Serializable {

  /** What the values are. */
  enum Field {
    REAL,
    INTEGER,
    PATTERN
  }

  /** What the mirror image of an entry off the diagonal is. */
  enum Symmetry {
    GENERAL,
    SYMMETRIC,
    SKEW_SYMMETRIC
  }

  int columns() {
    return field == Field.PATTERN ? order : order + 1;
  }

  /** Largest 0-based coordinate of {@code mode}: its size must be a long too. */
  long last(int mode) {
    return sizes == null ? Long.MAX_VALUE - 1 : sizes[mode] - 1;
  }

  /** Largest 0-based coordinates of all modes. */
  long[] last() {
    long[] last = new long[order];
    java.util.Arrays.setAll(last, this::last);
    return last;
  }

  /**
   * What the native parser is told: lines with all coordinates, or with none.
   *
   * @param type that holds every value which is read there
   */
  LineParser.Layout forParser(int coordinates, ValueType type) {
    LineParser.Value value =
        switch (field) {
          case PATTERN -> LineParser.Value.NONE;
          case REAL, INTEGER ->
              type == ValueType.LONG
                  ? LineParser.Value.LONG
                  : type == ValueType.INT || field == Field.INTEGER
                      ? LineParser.Value.INTEGER
                      : LineParser.Value.REAL;
        };
    double largest =
        switch (type) {
          case FLOAT -> Float.MAX_VALUE;
          case INT -> Integer.MAX_VALUE;
          case DOUBLE, LONG -> Double.POSITIVE_INFINITY;
        };
    LineParser.Mirror mirror =
        switch (symmetry) {
          case GENERAL -> LineParser.Mirror.NONE;
          case SYMMETRIC -> LineParser.Mirror.SAME;
          case SKEW_SYMMETRIC -> LineParser.Mirror.OPPOSITE;
        };
    return new LineParser.Layout(
        value,
        largest,
        coordinates == 0 ? LineParser.Mirror.NONE : mirror,
        rules.comments(),
        base,
        coordinates == 0 ? new long[0] : last());
  }
}
