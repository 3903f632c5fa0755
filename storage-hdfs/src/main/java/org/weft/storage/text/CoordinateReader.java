package org.weft.storage.text;

import java.io.IOException;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.SourceFile;
import org.weft.tensor.CooBlock;
import org.weft.text.Counts;

/** Lines of coordinates and a value: {@code .tns}, and {@code .mtx} in coordinate form. */
final class CoordinateReader extends TextReader {
  private final EntryLayout layout;
  private final LineRules rules;
  private final boolean pattern;
  private final boolean integer;
  private final boolean skew;
  private final boolean allowNonfinite;
  private final int order;
  private final long base;
  private final long[] last;
  private final long[] coordinates;
  private final DecimalParser decimals = new DecimalParser();

  /** The coordinate that {@link #coordinate} has read. */
  private long number;

  CoordinateReader(SourceFile file, InputPlan plan, InputSplit split, EntryLayout layout)
      throws IOException {
    super(file, plan, split, layout, layout.order());
    this.layout = layout;
    this.rules = layout.rules();
    this.order = layout.order();
    this.base = layout.base();
    this.pattern = layout.field() == EntryLayout.Field.PATTERN;
    this.integer = layout.field() == EntryLayout.Field.INTEGER;
    this.skew = layout.symmetry() == EntryLayout.Symmetry.SKEW_SYMMETRIC;
    this.allowNonfinite = plan.options().allowNonfinite();
    this.coordinates = new long[order];
    this.last = layout.last();
  }

  @Override
  int size() {
    return parser.size();
  }

  @Override
  long maxCoordinate(int mode) {
    return parser.maxCoordinate(mode);
  }

  @Override
  CooBlock take() {
    return parser.take();
  }

  @Override
  int limit() {
    return blockEntries;
  }

  @Override
  void parsed() {}

  @Override
  void entry(byte[] b, int at, long offset) {
    int p = at;
    for (int mode = 0; mode < order; mode++) {
      p = skipBlanks(b, coordinate(b, p, mode, offset));
    }
    double value = 1;
    int start = p;
    if (!pattern) {
      value = decimals.parse(b, p);
      int end = decimals.end();
      if (end < 0 || !(Math.abs(value) <= Double.MAX_VALUE) || integer) {
        checkValue(b, p, value, offset);
      }
      p = skipBlanks(b, end);
    }
    if (b[p] != '\n') {
      throw columns(b, offset);
    }
    if (skew && coordinates[0] == coordinates[1]) {
      throw fail(
          b,
          offset,
          ErrorCode.MALFORMED_INPUT,
          "expected no entry on the diagonal of a skew-symmetric matrix, found "
              + LineErrors.quoteLine(b, 0));
    }
    if (pattern) {
      parser.add(coordinates, value);
    } else {
      add(coordinates, value, b, start, decimals.end(), offset);
    }
  }

  /** Reads a coordinate, which may have a sign and leading zeros; returns the end. */
  private int coordinate(byte[] b, int at, int mode, long offset) {
    int p = at;
    boolean negative = b[p] == '-';
    if (negative || b[p] == '+') {
      p++;
    }
    int start = p;
    long magnitude = 0;
    boolean overflow = false;
    for (int digit = b[p] - '0'; digit >= 0 && digit <= 9; digit = b[++p] - '0') {
      overflow |= magnitude > (Long.MAX_VALUE - digit) / 10;
      magnitude = magnitude * 10 + digit;
    }
    if (p == start || !LineRules.endsToken(b[p])) {
      throw malformed(b, offset, "an integer coordinate of mode " + mode, at);
    }
    if (overflow) {
      throw fail(
          b,
          offset,
          ErrorCode.COORDINATE_OUT_OF_RANGE,
          "expected a coordinate of mode "
              + mode
              + " of at most 2^63-1, found "
              + LineErrors.quoteToken(b, at));
    }
    number = negative ? -magnitude : magnitude;
    long coordinate = number - base;
    if (coordinate < 0 || coordinate > last[mode]) {
      throw outOfRange(b, at, mode, offset);
    }
    coordinates[mode] = coordinate;
    return p;
  }

  private void checkValue(byte[] b, int at, double value, long offset) {
    if (decimals.end() < 0) {
      throw malformed(b, offset, "a number as the value", at);
    }
    if (!allowNonfinite && !Double.isFinite(value)) {
      throw fail(b, offset, ErrorCode.NONFINITE_VALUE, ValueErrors.nonfinite(b, at));
    }
    if (integer && !ValueErrors.isInteger(b, at, decimals.end())) {
      throw malformed(b, offset, "an integer value, as the header declares", at);
    }
  }

  private WeftException outOfRange(byte[] b, int at, int mode, long offset) {
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
    return fail(b, offset, ErrorCode.COORDINATE_OUT_OF_RANGE, message);
  }

  private WeftException malformed(byte[] b, long offset, String expected, int at) {
    return fail(
        b,
        offset,
        ErrorCode.MALFORMED_INPUT,
        "expected " + expected + ", found " + LineErrors.quoteToken(b, at));
  }

  /** The error of a line; a wrong number of columns explains every other fault of it. */
  private WeftException fail(byte[] b, long offset, ErrorCode code, String message) {
    if (countColumns(b) != layout.columns()) {
      return columns(b, offset);
    }
    return errors.at(offset, code, message);
  }

  private WeftException columns(byte[] b, long offset) {
    return errors.at(
        offset,
        ErrorCode.MALFORMED_INPUT,
        "expected "
            + Counts.plain(layout.columns(), "column")
            + " ("
            + Counts.plain(order, "coordinate")
            + (pattern ? "" : " and a value")
            + ", as "
            + layout.origin()
            + "), found "
            + countColumns(b)
            + ": "
            + LineErrors.quoteLine(b, 0));
  }

  static int countColumns(byte[] b) {
    int count = 0;
    int p = skipBlanks(b, 0);
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
}
