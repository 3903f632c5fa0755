package org.weft.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.text.Counts;

/** Reads format names and level lists; see {@link TensorFormat#parse}. */
record FormatParser(String text, int order, ValueType valueType) {
  private static final String WIDTHS = "(?:\\[\\s*(\\d+)\\s*,\\s*(\\d+)\\s*])?";
  private static final Pattern LEVEL =
      Pattern.compile(
          "\\s*([A-Z]+)(?:\\?([ouc]+))?"
              + WIDTHS
              + "(?::(?:(\\d{1,9})(?:([/%])(\\d{1,18}))?|(slot|diagonal)))?\\s*");
  private static final Pattern NAME =
      Pattern.compile("([A-Za-z]+)\\s*(?:\\(([^()]*)\\))?\\s*" + WIDTHS);

  static TensorFormat parse(String text, int order, ValueType valueType) {
    return new FormatParser(text, order, valueType).parse();
  }

  /** Whether the text gives the widths of some level. */
  static boolean statesWidths(String text) {
    return text.indexOf('[') >= 0;
  }

  /** Widths that are 64 bits because nothing is stated become the narrowest. */
  static TensorFormat parseNarrowed(
      String text, TensorShape shape, long entries, ValueType valueType) {
    TensorFormat stated = parse(text, shape.order(), valueType);
    if (!text.strip().startsWith("{")) {
      return stated;
    }
    TensorFormat narrow = stated.narrowedFor(shape, entries);
    String[] parts = levelTexts(text.substring(text.indexOf('{') + 1, text.lastIndexOf('}')));
    for (int level = 0; level < parts.length; level++) {
      if (statesWidths(parts[level])) {
        LevelSpec spec = stated.level(level);
        narrow = narrow.withLevelWidths(level, spec.posWidth(), spec.crdWidth());
      }
    }
    return narrow;
  }

  private TensorFormat parse() {
    String trimmed = text.strip();
    int at = trimmed.lastIndexOf('@');
    String head = (at < 0 ? trimmed : trimmed.substring(0, at)).strip();
    TensorFormat format = head.startsWith("{") ? list(head) : named(head);
    if (format.order() != order) {
      throw invalid(
          format.isOrdinary()
              ? "it has "
                  + Counts.plain(format.levelCount(), "level")
                  + " but the tensor has "
                  + modes()
              : "it stores "
                  + Counts.plain(format.order(), "mode")
                  + " but the tensor has "
                  + order);
    }
    if (at < 0) {
      return format;
    }
    try {
      return format.withModeOrder(modes(trimmed.substring(at + 1)));
    } catch (IllegalArgumentException e) {
      throw invalid("the mode order after @ must name each of 0.." + (order - 1) + " once");
    }
  }

  private String modes() {
    return Counts.plain(order, "mode");
  }

  private static int[] modes(String text) {
    String[] parts = text.split(",", -1);
    int[] modes = new int[parts.length];
    for (int i = 0; i < parts.length; i++) {
      modes[i] = Integer.parseInt(parts[i].strip());
    }
    return modes;
  }

  private TensorFormat named(String head) {
    Matcher matcher = NAME.matcher(head);
    NamedFormat named = matcher.matches() ? NamedFormat.of(matcher.group(1)) : null;
    if (named == null) {
      throw invalid("expected " + NamedFormat.list() + " or a level list such as {D, CU}");
    }
    if (named.order() >= 0 && named.order() != order) {
      String what = named.order() == 2 ? "matrices" : "vectors";
      throw invalid("it stores " + what + " but the tensor has " + modes());
    }
    try {
      TensorFormat format = named.format(order, numbers(named, matcher.group(2)), valueType);
      return matcher.group(3) == null
          ? format
          : format.withWidths(width(matcher.group(3)), width(matcher.group(4)));
    } catch (IllegalArgumentException e) {
      throw invalid(String.valueOf(e.getMessage()));
    }
  }

  private long[] numbers(NamedFormat named, @Nullable String list) {
    String[] parts = list == null ? new String[0] : list.split(",", -1);
    if (parts.length != named.numbers()) {
      throw invalid("write " + named.usage());
    }
    long[] numbers = new long[parts.length];
    for (int n = 0; n < parts.length; n++) {
      String part = parts[n].strip();
      if (!part.matches("[0-9]{1,18}") || Long.parseLong(part) == 0) {
        throw invalid("write " + named.usage() + " with whole numbers above 0, not '" + part + "'");
      }
      numbers[n] = Long.parseLong(part);
    }
    return numbers;
  }

  private static String[] levelTexts(String inner) {
    return inner.isBlank() ? new String[0] : inner.split(",(?![^\\[]*])", -1);
  }

  private TensorFormat list(String head) {
    if (!head.endsWith("}")) {
      throw invalid("the level list has no closing brace");
    }
    List<LevelSpec> levels = new ArrayList<>();
    List<LevelCoordinate> coordinates = new ArrayList<>();
    for (String part : levelTexts(head.substring(1, head.length() - 1))) {
      Matcher matcher = LEVEL.matcher(part);
      if (!matcher.matches()) {
        throw invalid(
            "'" + part.strip() + "' is not a level such as CU, CU?o, CU[32,16] or CU:1/4");
      }
      levels.add(level(matcher));
      coordinates.add(coordinate(matcher, coordinates.size()));
    }
    int[] modes =
        new int
            [(int)
                coordinates.stream()
                    .mapToInt(c -> c.storedMode())
                    .distinct()
                    .filter(mode -> mode >= 0)
                    .count()];
    for (int m = 0; m < modes.length; m++) {
      modes[m] = m;
    }
    try {
      return new TensorFormat(levels, coordinates, modes, valueType);
    } catch (IllegalArgumentException e) {
      throw invalid(String.valueOf(e.getMessage()));
    }
  }

  private LevelSpec level(Matcher matcher) {
    LevelSpec level = LevelSpec.of(matcher.group(1));
    if (matcher.group(2) != null) {
      level = level.withModifiers(matcher.group(2));
    }
    return matcher.group(3) == null
        ? level
        : level.withWidths(width(matcher.group(3)), width(matcher.group(4)));
  }

  private LevelCoordinate coordinate(Matcher matcher, int level) {
    if (matcher.group(8) != null) {
      return matcher.group(8).equals("slot")
          ? new LevelCoordinate.Slot()
          : new LevelCoordinate.Diagonal();
    } else if (matcher.group(5) == null) {
      return new LevelCoordinate.Mode(level);
    }
    int mode = Integer.parseInt(matcher.group(5));
    if (matcher.group(6) == null) {
      return new LevelCoordinate.Mode(mode);
    }
    long size = Long.parseLong(matcher.group(7));
    if (size < 1) {
      throw invalid("a block has at least 1 coordinate, not " + size);
    }
    return matcher.group(6).equals("/")
        ? new LevelCoordinate.Block(mode, size)
        : new LevelCoordinate.Within(mode, size);
  }

  private Width width(String bits) {
    for (Width width : Width.values()) {
      if (Integer.toString(width.bits()).equals(bits)) {
        return width;
      }
    }
    throw invalid("a width is 8, 16, 32 or 64 bits, not " + bits);
  }

  private WeftException invalid(String why) {
    return new WeftException(ErrorCode.INVALID_FORMAT, "bad tensor format '" + text + "': " + why);
  }
}
