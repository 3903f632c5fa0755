package org.weft.compiler.lang;

import java.util.Arrays;
import java.util.Objects;

/**
 * A named piece of source text: a file, or an expression given on the command line. Where its lines
 * begin is found once, so that the place of a character costs O(log lines).
 */
public final class SourceText {
  private final String name;
  private final String text;
  private final int[] lineStarts;

  public SourceText(String name, String text) {
    this.name = name;
    this.text = text;
    this.lineStarts = lineStarts(text);
  }

  private static int[] lineStarts(String text) {
    int[] starts = new int[16];
    int lines = 1;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
      if (lines == starts.length) {
        starts = Arrays.copyOf(starts, 2 * lines);
      }
      starts[lines++] = end + 1;
    }
    return Arrays.copyOf(starts, lines);
  }

  /** Text that comes from an option or an API call rather than a file. */
  public static SourceText expression(String text) {
    return new SourceText("expression", text);
  }

  public String name() {
    return name;
  }

  public String text() {
    return text;
  }

  /** 1-based line of the character at {@code offset}. */
  public int line(int offset) {
    int at = Arrays.binarySearch(lineStarts, offset);
    return at >= 0 ? at + 1 : -at - 1;
  }

  /** 1-based column, in characters, of the character at {@code offset}. */
  public int column(int offset) {
    return offset - lineStarts[line(offset) - 1] + 1;
  }

  /** The whole line around {@code offset}, without its end. */
  public String lineAt(int offset) {
    int line = line(offset);
    int end = line == lineStarts.length ? text.length() : lineStarts[line] - 1;
    return text.substring(lineStarts[line - 1], end).replace("\r", "");
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SourceText that && name.equals(that.name) && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, text);
  }

  @Override
  public String toString() {
    return name;
  }
}
