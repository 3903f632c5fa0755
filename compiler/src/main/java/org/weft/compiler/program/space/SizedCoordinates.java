package org.weft.compiler.program.space;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * Reader of the {@code .tns} text of {@code comet_read}.
 *
 * <pre>
 * file   := header { entry }
 * header := size { size } count
 * entry  := coordinate { coordinate } [ value ]      coordinates from 0; a missing value is 1
 * </pre>
 *
 * <p>Blank lines and lines that begin with {@code #} or {@code %} are skipped. A file may hold
 * fewer entries than its header counts, never more.
 */
public final class SizedCoordinates {
  private final String uri;
  private final BufferedReader lines;
  private long lineNumber;

  public SizedCoordinates(String uri, BufferedReader lines) {
    this.uri = uri;
    this.lines = lines;
  }

  /**
   * Reads all entries.
   *
   * @param type of the tensor that they go to
   * @throws WeftException {@code VALUE_OUT_OF_RANGE} for a value that it does not hold, ...
   */
  public ProgramFiles.Entries read(ValueType type) throws IOException {
    StringTokenizer header = next();
    if (header == null || header.countTokens() < 2) {
      throw malformed("expected the mode sizes and the number of entries, such as '7 7 7 3'");
    }
    long[] sizes = new long[header.countTokens() - 1];
    for (int mode = 0; mode < sizes.length; mode++) {
      sizes[mode] = integer(header.nextToken(), "a mode size");
    }
    long count = integer(header.nextToken(), "the number of entries");
    CooBlock.Builder entries =
        new CooBlock.Builder(sizes.length, (int) Math.min(count, 1 << 20), type == ValueType.LONG);
    for (StringTokenizer line = next(); line != null; line = next()) {
      if (entries.size() >= count) {
        throw malformed(
            "expected " + Counts.plain(count, "entry") + ", as the first line says, found more");
      }
      entry(line, sizes, type, entries);
    }
    return new ProgramFiles.Entries(TensorShape.of(sizes), List.of(entries.build()));
  }

  private void entry(StringTokenizer line, long[] sizes, ValueType type, CooBlock.Builder entries) {
    int tokens = line.countTokens();
    if (tokens != sizes.length && tokens != sizes.length + 1) {
      throw malformed(
          "expected " + Counts.plain(sizes.length, "coordinate") + " and a value, found " + tokens);
    }
    for (int mode = 0; mode < sizes.length; mode++) {
      long coordinate = integer(line.nextToken(), "a coordinate");
      if (coordinate >= sizes[mode]) {
        throw new WeftException(
            ErrorCode.COORDINATE_OUT_OF_RANGE,
            uri
                + ":"
                + lineNumber
                + ": expected a coordinate below "
                + sizes[mode]
                + " in mode "
                + mode
                + ", found "
                + coordinate
                + "; coordinates of comet_read start at 0");
      }
      entries.set(mode, coordinate);
    }
    String value = line.hasMoreTokens() ? line.nextToken() : "1";
    double number = number(value);
    OptionalLong integer = type.isIntegral() ? type.integer(value) : OptionalLong.empty();
    if (type.isIntegral() ? integer.isEmpty() : !type.holds(number)) {
      throw new WeftException(
          ErrorCode.VALUE_OUT_OF_RANGE, uri + ":" + lineNumber + ": " + type.refusal(value));
    } else if (integer.isPresent()) {
      entries.finishLong(integer.getAsLong());
    } else {
      entries.finish(number);
    }
  }

  private @Nullable StringTokenizer next() throws IOException {
    while (true) {
      String line = lines.readLine();
      if (line == null) {
        return null;
      }
      lineNumber++;
      String text = line.strip();
      if (!text.isEmpty() && text.charAt(0) != '#' && text.charAt(0) != '%') {
        return new StringTokenizer(text);
      }
    }
  }

  private long integer(String token, String what) {
    try {
      long value = Long.parseLong(token);
      if (value >= 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw malformed("expected " + what + ", found '" + token + "'");
    }
    throw malformed("expected " + what + " of at least 0, found " + token);
  }

  private double number(String token) {
    try {
      return Double.parseDouble(token);
    } catch (NumberFormatException e) {
      throw malformed("expected a value, found '" + token + "'");
    }
  }

  private WeftException malformed(String message) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        uri + ":" + Math.max(1, lineNumber) + ": " + message + "; see comet_read's .tns form");
  }
}
