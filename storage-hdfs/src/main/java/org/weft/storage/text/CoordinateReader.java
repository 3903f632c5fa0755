package org.weft.storage.text;

import java.io.IOException;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.SourceFile;

/** Lines of coordinates and a value: {@code .tns}, and {@code .mtx} in coordinate form. */
final class CoordinateReader extends TextReader {
  /** Every number of so many digits fits a long. */
  private static final int SAFE_DIGITS = 18;

  private final EntryLayout layout;
  private final LineRules rules;
  private final boolean pattern;
  private final boolean integer;
  private final boolean mirrored;
  private final boolean allowNonfinite;
  private final int order;
  private final long base;
  private final long[] last;
  private final long[] coordinates;
  private final DecimalParser decimals = new DecimalParser();

  /** The coordinate that {@link #longCoordinate} has read. */
  private long longValue;

  CoordinateReader(SourceFile file, InputPlan plan, InputSplit split, EntryLayout layout)
      throws IOException {
    super(file, plan, split, layout.rules());
    this.layout = layout;
    this.rules = layout.rules();
    this.order = layout.order();
    this.base = layout.base();
    this.pattern = layout.field() == EntryLayout.Field.PATTERN;
    this.integer = layout.field() == EntryLayout.Field.INTEGER;
    this.mirrored = layout.symmetry() != EntryLayout.Symmetry.GENERAL;
    this.allowNonfinite = plan.options().allowNonfinite();
    this.coordinates = new long[order];
    this.last = new long[order];
    for (int mode = 0; mode < order; mode++) {
      last[mode] = layout.last(mode);
    }
  }

  @Override
  int parse(byte[] b, int from, int to) {
    int line = from;
    while (line < to && builder.size() < blockEntries) {
      lineCount++;
      int p = skipBlanks(b, line);
      int first = b[p];
      if (first == '\n') {
        line = p + 1;
      } else if (rules.isComment(first)) {
        line = endOfLine(b, p) + 1;
      } else {
        line = entry(b, p, line);
      }
    }
    return line;
  }

  /** Parses the entry at {@code at} of the line that starts at {@code line}. */
  private int entry(byte[] b, int at, int line) {
    int p = at;
    for (int mode = 0; mode < order; mode++) {
      p = skipBlanks(b, coordinate(b, p, mode, line));
    }
    double value = 1;
    if (!pattern) {
      value = decimals.parse(b, p);
      int end = decimals.end();
      if (end < 0 || !(Math.abs(value) <= Double.MAX_VALUE) || integer) {
        checkValue(b, p, value, line);
      }
      p = skipBlanks(b, end);
    }
    if (b[p] != '\n') {
      throw columns(b, line);
    }
    records++;
    if (mirrored) {
      addMirrored(b, value, line);
    } else {
      builder.add(coordinates, value);
    }
    return p + 1;
  }

  private int coordinate(byte[] b, int at, int mode, int line) {
    int p = at;
    long number = 0;
    int digit = b[p] - '0';
    while (digit >= 0 && digit <= 9) {
      number = number * 10 + digit;
      digit = b[++p] - '0';
    }
    if (p == at || p - at > SAFE_DIGITS || !LineRules.endsToken(b[p])) {
      p = longCoordinate(b, at, mode, line);
      number = longValue;
    }
    long coordinate = number - base;
    if (coordinate < 0 || coordinate > last[mode]) {
      throw outOfRange(b, at, mode, line, number);
    }
    coordinates[mode] = coordinate;
    if (coordinate > maxCoordinates[mode]) {
      maxCoordinates[mode] = coordinate;
    }
    return p;
  }

  /** Reads what the fast path does not: signs, leading zeros, 19 digits; returns the end. */
  private int longCoordinate(byte[] b, int at, int mode, int line) {
    int p = at;
    boolean negative = b[p] == '-';
    if (negative || b[p] == '+') {
      p++;
    }
    int start = p;
    long number = 0;
    boolean overflow = false;
    for (int digit = b[p] - '0'; digit >= 0 && digit <= 9; digit = b[++p] - '0') {
      overflow |= number > (Long.MAX_VALUE - digit) / 10;
      number = number * 10 + digit;
    }
    if (p == start || !LineRules.endsToken(b[p])) {
      throw malformed(b, line, "an integer coordinate of mode " + mode, at);
    }
    if (overflow) {
      throw fail(
          b,
          line,
          ErrorCode.COORDINATE_OUT_OF_RANGE,
          "expected a coordinate of mode "
              + mode
              + " of at most 2^63-1, found "
              + LineErrors.quoteToken(b, at));
    }
    longValue = negative ? -number : number;
    return p;
  }

  private void addMirrored(byte[] b, double value, int line) {
    boolean skew = layout.symmetry() == EntryLayout.Symmetry.SKEW_SYMMETRIC;
    long row = coordinates[0];
    long column = coordinates[1];
    if (skew && row == column) {
      throw fail(
          b,
          line,
          ErrorCode.MALFORMED_INPUT,
          "expected no entry on the diagonal of a skew-symmetric matrix, found "
              + LineErrors.quoteLine(b, line));
    }
    builder.add(coordinates, value);
    if (row != column) {
      coordinates[0] = column;
      coordinates[1] = row;
      builder.add(coordinates, skew ? -value : value);
      long larger = Math.max(row, column);
      maxCoordinates[0] = Math.max(maxCoordinates[0], larger);
      maxCoordinates[1] = Math.max(maxCoordinates[1], larger);
    }
  }

  private void checkValue(byte[] b, int at, double value, int line) {
    if (decimals.end() < 0) {
      throw malformed(b, line, "a number as the value", at);
    }
    if (!allowNonfinite && !Double.isFinite(value)) {
      throw fail(b, line, ErrorCode.NONFINITE_VALUE, ValueErrors.nonfinite(b, at));
    }
    if (integer && !ValueErrors.isInteger(b, at, decimals.end())) {
      throw malformed(b, line, "an integer value, as the header declares", at);
    }
  }

  private WeftException outOfRange(byte[] b, int at, int mode, int line, long number) {
    String found = LineErrors.quoteToken(b, at);
    String message;
    if (number < base) {
      message =
          "expected a coordinate of mode "
              + mode
              + " of at least "
              + base
              + ", found "
              + found
              + (number == 0 && rules == LineRules.TNS
                  ? "; if the file counts from 0, read it as zero-based (--zero-based)"
                  : "");
    } else if (layout.sizes() == null) {
      message =
          "expected a zero-based coordinate of at most 2^63-2, whose mode size fits 63 bits, found "
              + found;
    } else {
      message =
          "expected a coordinate of mode "
              + mode
              + " of at most "
              + (last[mode] + base)
              + ", the size declared in the header, found "
              + found;
    }
    return fail(b, line, ErrorCode.COORDINATE_OUT_OF_RANGE, message);
  }

  private WeftException malformed(byte[] b, int line, String expected, int at) {
    return fail(
        b,
        line,
        ErrorCode.MALFORMED_INPUT,
        "expected " + expected + ", found " + LineErrors.quoteToken(b, at));
  }

  /** The error of a line; a wrong number of columns explains every other fault of it. */
  private WeftException fail(byte[] b, int line, ErrorCode code, String message) {
    if (countColumns(b, line) != layout.columns()) {
      return columns(b, line);
    }
    return errors.at(lines.offset(line), code, message);
  }

  private WeftException columns(byte[] b, int line) {
    return errors.at(
        lines.offset(line),
        ErrorCode.MALFORMED_INPUT,
        "expected "
            + layout.columns()
            + " columns ("
            + (order == 1 ? "1 coordinate" : order + " coordinates")
            + (pattern ? "" : " and a value")
            + ", as "
            + layout.origin()
            + "), found "
            + countColumns(b, line)
            + ": "
            + LineErrors.quoteLine(b, line));
  }

  static int countColumns(byte[] b, int line) {
    int count = 0;
    int p = skipBlanks(b, line);
    while (b[p] != '\n') {
      count++;
      while (!LineRules.endsToken(b[p])) {
        p++;
      }
      p = skipBlanks(b, p);
    }
    return count;
  }

  static int skipBlanks(byte[] b, int at) {
    int p = at;
    while (LineRules.isBlank(b[p])) {
      p++;
    }
    return p;
  }

  static int endOfLine(byte[] b, int at) {
    int p = at;
    while (b[p] != '\n') {
      p++;
    }
    return p;
  }
}
