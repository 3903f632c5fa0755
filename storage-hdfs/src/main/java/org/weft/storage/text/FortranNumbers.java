package org.weft.storage.text;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.text.Counts;

/**
 * Numbers in fields of fixed width, as Fortran writes them: {@code (8I10)} is eight integers of ten
 * characters to a line. Fields may touch; blanks around a number are passed over; an exponent is
 * marked by E or D or only by its sign; a real number without a point has as many decimals as its
 * format says. No object per number.
 *
 * <p>Some programs, such as SciPy, write fields that are narrower than their format says, with
 * blanks between them. A line of as many words as it has fields is therefore read by words, which
 * in a line of full fields are the same numbers.
 */
final class FortranNumbers implements Closeable {
  private static final int MAX_LINE_BYTES = 1 << 14;
  private static final int MAX_EXPONENT = 100_000;
  private static final Pattern FORMAT =
      Pattern.compile(
          "\\(\\s*(?:(-?\\d)P\\s*,?\\s*)?(\\d{0,4})([IEDFG])(\\d{1,4})(?:\\.(\\d{1,3}))?(?:E\\d+)?\\s*\\)");

  /**
   * A format of one kind of field.
   *
   * @param perLine fields in a line
   * @param width characters of a field
   * @param decimals digits behind the point of a number that has none
   * @param scale power of ten by which a number without exponent is too large
   */
  record Format(int perLine, int width, int decimals, int scale) implements Serializable {
    /** The format that {@code text} describes, or null if it is none that is known. */
    static @org.jspecify.annotations.Nullable Format parse(String text) {
      Matcher found = FORMAT.matcher(text.toUpperCase(Locale.ROOT));
      if (!found.matches()) {
        return null;
      }
      int perLine = found.group(2).isEmpty() ? 1 : Integer.parseInt(found.group(2));
      int width = Integer.parseInt(found.group(4));
      if (perLine < 1 || width < 1 || (long) perLine * width > MAX_LINE_BYTES) {
        return null;
      }
      return new Format(
          perLine,
          width,
          found.group(5) == null ? 0 : Integer.parseInt(found.group(5)),
          found.group(1) == null ? 0 : Integer.parseInt(found.group(1)));
    }
  }

  private final InputStream in;
  private final String name;
  private final Format format;
  private final byte[] line = new byte[MAX_LINE_BYTES];
  private final byte[] number;
  private final DecimalParser decimals = new DecimalParser();
  private final int[] starts;
  private final int[] ends;
  private int fields;
  private int length;
  private int field;
  private int numberBytes;
  private long lineNumber;

  /** Reads numbers behind the first {@code skippedLines} lines of {@code in}. */
  FortranNumbers(InputStream in, String name, Format format, long skippedLines) throws IOException {
    this.in = new BufferedInputStream(in, 1 << 16);
    this.name = name;
    this.format = format;
    this.number = new byte[format.width + 16];
    this.starts = new int[format.perLine];
    this.ends = new int[format.perLine];
    for (long i = 0; i < skippedLines; i++) {
      int c = this.in.read();
      while (c >= 0 && c != '\n') {
        c = this.in.read();
      }
      if (c < 0) {
        throw truncated();
      }
      lineNumber++;
    }
  }

  private void nextField() throws IOException {
    if (++field >= fields) {
      readLine();
      field = 0;
    }
  }

  private void readLine() throws IOException {
    length = 0;
    int c = in.read();
    if (c < 0) {
      throw truncated();
    }
    for (; c >= 0 && c != '\n'; c = in.read()) {
      if (length == MAX_LINE_BYTES) {
        throw malformed("a line of at most " + MAX_LINE_BYTES + " characters", "a longer one");
      }
      line[length++] = (byte) c;
    }
    lineNumber++;
    if (!splitByWords()) {
      for (int i = 0; i < fields; i++) {
        starts[i] = i * format.width;
        ends[i] = Math.min(length, starts[i] + format.width);
      }
    }
  }

  /**
   * Notes where the fields of the line end, and finds its words; true if they are as many as the
   * fields, and no longer.
   */
  private boolean splitByWords() {
    while (length > 0 && LineRules.isBlank(line[length - 1])) {
      length--;
    }
    int full = (length + format.width - 1) / format.width;
    fields = Math.max(1, Math.min(full, format.perLine));
    int words = 0;
    for (int p = 0; p < length; words++) {
      while (LineRules.isBlank(line[p])) {
        p++;
      }
      int from = p;
      while (p < length && !LineRules.isBlank(line[p])) {
        p++;
      }
      if (words == fields || p - from > format.width) {
        return false;
      }
      starts[words] = from;
      ends[words] = p;
    }
    return words == fields;
  }

  /** The next integer. */
  long nextLong() throws IOException {
    nextField();
    int from = start();
    int to = end(from);
    int p = from;
    boolean negative = p < to && line[p] == '-';
    if (p < to && (negative || line[p] == '+')) {
      p++;
    }
    long value = 0;
    boolean good = p < to && to - p <= 18;
    for (; good && p < to; p++) {
      good = line[p] >= '0' && line[p] <= '9';
      value = value * 10 + (line[p] - '0');
    }
    if (!good) {
      throw malformed("an integer", field());
    }
    return negative ? -value : value;
  }

  /** The next real number, correctly rounded. */
  double nextDouble() throws IOException {
    nextField();
    int from = start();
    int to = end(from);
    int size = 0;
    int p = from;
    boolean point = false;
    for (; p < to && (p == from || !startsExponent(line[p])); p++) {
      point |= line[p] == '.';
      number[size++] = line[p];
    }
    long exponent = point ? 0 : -format.decimals;
    if (p < to) {
      exponent += exponent(p, to);
    } else {
      exponent -= format.scale;
    }
    if (exponent != 0) {
      for (byte b : ("e" + exponent).getBytes(StandardCharsets.US_ASCII)) {
        number[size++] = b;
      }
    }
    number[size] = '\n';
    numberBytes = size;
    double value = decimals.parse(number, 0);
    if (decimals.end() != size) {
      throw malformed("a number", field());
    }
    return value;
  }

  /** The text of the last real number, with its exponent marked by an e. */
  String text() {
    return new String(number, 0, numberBytes, StandardCharsets.US_ASCII);
  }

  private static boolean startsExponent(byte b) {
    return b == '+' || b == '-' || (b | 0x20) == 'e' || (b | 0x20) == 'd';
  }

  private long exponent(int from, int to) {
    int p = (line[from] | 0x20) == 'e' || (line[from] | 0x20) == 'd' ? from + 1 : from;
    boolean negative = p < to && line[p] == '-';
    if (p < to && (negative || line[p] == '+')) {
      p++;
    }
    long exponent = 0;
    if (p == to) {
      throw malformed("a number", field());
    }
    for (; p < to; p++) {
      if (line[p] < '0' || line[p] > '9') {
        throw malformed("a number", field());
      }
      exponent = Math.min(MAX_EXPONENT, exponent * 10 + (line[p] - '0'));
    }
    return negative ? -exponent : exponent;
  }

  private int start() {
    int p = starts[field];
    while (p < ends[field] && LineRules.isBlank(line[p])) {
      p++;
    }
    return p;
  }

  private int end(int from) {
    int p = ends[field];
    while (p > from && LineRules.isBlank(line[p - 1])) {
      p--;
    }
    return p;
  }

  /** The field that was read last, quoted. */
  String field() {
    int from = starts[field];
    int to = Math.min(ends[field], from + 60);
    return "'" + new String(line, from, to - from, StandardCharsets.UTF_8).strip() + "'";
  }

  /** The error of the field that was read last. */
  WeftException malformed(String expected, String found) {
    return error(ErrorCode.MALFORMED_INPUT, "expected " + expected + ", found " + found);
  }

  /** An error in the line of the field that was read last. */
  WeftException error(ErrorCode code, String message) {
    return new WeftException(code, name + ":" + lineNumber + ": " + message);
  }

  private WeftException truncated() {
    return new WeftException(
        ErrorCode.TRUNCATED_INPUT,
        name
            + ": expected more numbers, found the end of the file after "
            + Counts.plain(lineNumber, "line")
            + "; copy it again");
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
