package org.weft.sql;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Options of a table, whose names are the same in any case. */
final class TableSettings {
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
                + String.join(", ", known.stream().sorted().toList())
                + ", found '"
                + name
                + "'");
      }
    }
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(given.get(name)).map(String::strip);
  }

  String required(String name, String example) {
    return text(name)
        .orElseThrow(
            () -> wrong("expected option '" + name + "', such as " + example + "; found none"));
  }

  double number(String name, double otherwise) {
    String text = text(name).orElse("");
    try {
      return text.isEmpty() ? otherwise : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw wrong("expected a number for option '" + name + "', found '" + text + "'");
    }
  }

  long whole(String name, long otherwise) {
    double number = number(name, (double) otherwise);
    if (number != Math.rint(number)) {
      throw wrong("expected a whole number for option '" + name + "', found " + number);
    }
    return (long) number;
  }

  WeftException wrong(String message) {
    return new WeftException(ErrorCode.USAGE, "format '" + format + "': " + message);
  }
}
