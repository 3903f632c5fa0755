package org.weft.spark.ingest.cell;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Cells of a table, of whatever type, as text or number. Blank text is a missing cell. */
public final class Cells {
  private Cells() {}

  public static boolean isMissing(@Nullable Object cell) {
    return cell == null || cell instanceof String text && text.isBlank();
  }

  /** Numbers without superfluous digits, times as ISO 8601, text as it is. */
  static String text(Object cell) {
    if (cell instanceof Double || cell instanceof Float) {
      return decimal(((Number) cell).doubleValue());
    }
    return cell instanceof BigDecimal number
        ? number.stripTrailingZeros().toPlainString()
        : cell.toString();
  }

  /** The shortest text that reads back the same, without exponent or point where none is needed. */
  static String decimal(double number) {
    boolean whole = number == Math.rint(number) && Math.abs(number) < 1e15;
    return whole ? Long.toString((long) number) : Double.toString(number);
  }

  /** The number in {@code cell}, NaN and infinities included; null if there is none. */
  public static @Nullable Double number(Object cell) {
    if (cell instanceof Number number) {
      return number.doubleValue();
    }
    if (cell instanceof Boolean truth) {
      return truth ? 1.0 : 0.0;
    }
    if (cell instanceof Instant || cell instanceof LocalDate || cell instanceof LocalDateTime) {
      return null;
    }
    String text = cell.toString().strip();
    switch (text.toLowerCase(Locale.ROOT)) {
      case "nan" -> {
        return Double.NaN;
      }
      case "inf", "+inf", "infinity", "+infinity" -> {
        return Double.POSITIVE_INFINITY;
      }
      case "-inf", "-infinity" -> {
        return Double.NEGATIVE_INFINITY;
      }
      default -> {
        return finite(text);
      }
    }
  }

  private static @Nullable Double finite(String text) {
    for (int at = 0; at < text.length(); at++) {
      if ("0123456789+-.eE".indexOf(text.charAt(at)) < 0) {
        return null; // Java's own grammar has suffixes and hexadecimal digits besides.
      }
    }
    try {
      return Double.valueOf(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
