package org.weft.tensor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Reads format names and level lists; see {@link TensorFormat#parse}. */
final class FormatParser {
  private static final Pattern LEVEL =
      Pattern.compile("\\s*([A-Z]+)(?:\\?([ou]+))?(?:\\[(\\d+),(\\d+)])?\\s*");

  private FormatParser() {}

  static TensorFormat parse(String text, int order, ValueType valueType) {
    String trimmed = text.strip();
    int at = trimmed.lastIndexOf('@');
    String head = (at < 0 ? trimmed : trimmed.substring(0, at)).strip();
    TensorFormat format =
        head.startsWith("{") ? list(head, valueType) : named(head, order, valueType);
    if (format.order() != order) {
      throw invalid(
          text, "it has " + format.order() + " levels but the tensor has " + order + " modes");
    }
    if (at < 0) {
      return format;
    }
    try {
      return format.withModeOrder(modes(trimmed.substring(at + 1)));
    } catch (IllegalArgumentException e) {
      throw invalid(text, "the mode order after @ must name each of 0.." + (order - 1) + " once");
    }
  }

  private static int[] modes(String text) {
    String[] parts = text.split(",", -1);
    int[] modes = new int[parts.length];
    for (int i = 0; i < parts.length; i++) {
      modes[i] = Integer.parseInt(parts[i].strip());
    }
    return modes;
  }

  private static TensorFormat named(String name, int order, ValueType valueType) {
    return switch (name.toUpperCase(Locale.ROOT)) {
      case "DENSE" -> TensorFormat.dense(order, valueType);
      case "CSF" -> TensorFormat.csf(order, valueType);
      case "COO" -> TensorFormat.coo(order, valueType);
      case "CSR" -> matrix(name, order, valueType, "D", "CU");
      case "CSC" -> matrix(name, order, valueType, "D", "CU").withModeOrder(1, 0);
      case "DCSR" -> matrix(name, order, valueType, "CU", "CU");
      case "DCSC" -> matrix(name, order, valueType, "CU", "CU").withModeOrder(1, 0);
      case "CDR" -> matrix(name, order, valueType, "CU", "D");
      default ->
          throw invalid(
              name,
              "expected Dense, COO, CSF, CSR, CSC, DCSR, DCSC, CDR or a level list such as {D, CU}");
    };
  }

  private static TensorFormat matrix(
      String name, int order, ValueType valueType, String outer, String inner) {
    if (order != 2) {
      throw invalid(name, "it stores matrices but the tensor has " + order + " modes");
    }
    return new TensorFormat(
        List.of(LevelSpec.of(outer), LevelSpec.of(inner)), new int[] {0, 1}, valueType);
  }

  private static TensorFormat list(String text, ValueType valueType) {
    if (!text.endsWith("}")) {
      throw invalid(text, "the level list has no closing brace");
    }
    String inner = text.substring(1, text.length() - 1);
    List<LevelSpec> levels = new ArrayList<>();
    for (String part : inner.isBlank() ? new String[0] : inner.split(",(?![^\\[]*])", -1)) {
      Matcher matcher = LEVEL.matcher(part);
      if (!matcher.matches()) {
        throw invalid(text, "'" + part.strip() + "' is not a level such as CU, CU?o or CU[32,16]");
      }
      LevelSpec level = LevelSpec.of(matcher.group(1));
      if (matcher.group(2) != null) {
        level = level.withModifiers(matcher.group(2));
      }
      if (matcher.group(3) != null) {
        level = level.withWidths(width(text, matcher.group(3)), width(text, matcher.group(4)));
      }
      levels.add(level);
    }
    int[] modes = new int[levels.size()];
    for (int m = 0; m < modes.length; m++) {
      modes[m] = m;
    }
    return new TensorFormat(Collections.unmodifiableList(levels), modes, valueType);
  }

  private static Width width(String text, String bits) {
    for (Width width : Width.values()) {
      if (Integer.toString(width.bits()).equals(bits)) {
        return width;
      }
    }
    throw invalid(text, "a width is 8, 16, 32 or 64 bits, not " + bits);
  }

  private static WeftException invalid(String text, String why) {
    return new WeftException(ErrorCode.INVALID_FORMAT, "bad tensor format '" + text + "': " + why);
  }
}
