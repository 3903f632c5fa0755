package org.weft.sql;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Options of a table, whose names are the same in any case. */
final class TableSettings {
  /** Spark's CREATE TABLE gives a path by itself. */
  private static final String PATH =
      "; a computed table has no place: define it with CREATE TEMPORARY VIEW";

  private final String format;
  private final Map<String, String> given = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  /**
   * @param known names; one that ends in a dot begins others
   * @throws WeftException {@code USAGE} for an option that is not known
   */
  TableSettings(String format, Map<String, String> options, Set<String> known) {
    this.format = format;
    this.given.putAll(options);
    for (String name : given.keySet()) {
      String lower = name.toLowerCase(Locale.ROOT);
      if (known.stream().noneMatch(k -> k.endsWith(".") ? lower.startsWith(k) : lower.equals(k))) {
        throw wrong(
            "expected options among "
                + String.join(
                    ", ",
                    known.stream().sorted().map(k -> k.endsWith(".") ? k + "NAME" : k).toList())
                + ", found '"
                + name
                + "'"
                + (lower.equals("path") ? PATH : ""));
      }
    }
  }

  /** Refuses options that begin with {@code prefix} and end with none of {@code names}. */
  void requireOnly(String prefix, Set<String> names) {
    for (String option : given.keySet()) {
      if (option.toLowerCase(Locale.ROOT).startsWith(prefix)
          && names.stream().noneMatch(name -> option.equalsIgnoreCase(prefix + name))) {
        throw wrong(
            "expected options "
                + prefix
                + "NAME for "
                + String.join(", ", names)
                + ", found '"
                + option
                + "'");
      }
    }
  }

  /** What is given for an option; none if that is blank. */
  Optional<String> text(String name) {
    return Optional.ofNullable(given.get(name)).map(String::strip).filter(text -> !text.isEmpty());
  }

  String required(String name, String example) {
    return text(name)
        .orElseThrow(
            () -> wrong("expected option '" + name + "', such as " + example + "; found none"));
  }

  OptionalDouble number(String name) {
    String text = text(name).orElse("");
    if (text.isEmpty()) {
      return OptionalDouble.empty();
    }
    try {
      return OptionalDouble.of(Double.parseDouble(text));
    } catch (NumberFormatException e) {
      throw wrong("expected a number for option '" + name + "', found '" + text + "'");
    }
  }

  OptionalLong whole(String name) {
    String text = text(name).orElse("");
    if (text.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(new BigDecimal(text).longValueExact());
    } catch (ArithmeticException e) {
      throw wrong(
          "expected a whole number of less than 2^63 for option '"
              + name
              + "', found '"
              + text
              + "'");
    } catch (NumberFormatException e) {
      throw wrong("expected a number for option '" + name + "', found '" + text + "'");
    }
  }

  /** A whole number; instead of one that an int does not hold, the nearest int. */
  OptionalInt count(String name) {
    OptionalLong whole = whole(name);
    return whole.isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of(
            (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, whole.getAsLong())));
  }

  /** A number of components: a whole number of at least 1. */
  int rank(String name) {
    String given = required(name, "16");
    int rank = count(name).orElse(0);
    if (rank < 1) {
      throw wrong("expected option '" + name + "' of at least 1, such as 16; found " + given);
    }
    return rank;
  }

  Optional<Boolean> flag(String name) {
    return text(name)
        .map(
            text ->
                switch (text.toLowerCase(Locale.ROOT)) {
                  case "true" -> true;
                  case "false" -> false;
                  default ->
                      throw wrong(
                          "expected true or false for option '" + name + "', found '" + text + "'");
                });
  }

  WeftException wrong(String message) {
    return new WeftException(ErrorCode.USAGE, "format '" + format + "': " + message);
  }
}
