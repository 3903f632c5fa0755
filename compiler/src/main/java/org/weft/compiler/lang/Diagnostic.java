package org.weft.compiler.lang;

import java.util.Locale;

/**
 * One message about a place in the source.
 *
 * @param message what was expected and what was found
 * @param advice what to write instead; may be empty
 */
public record Diagnostic(Severity severity, SourceSpan span, String message, String advice) {
  /** Whether the program can be compiled. */
  public enum Severity {
    ERROR,
    WARNING
  }

  private static final int LONGEST_LINE = 160;

  /**
   * The message with its source line, or the part of a long one around the place, and a caret.
   *
   * <pre>
   * expression:1:10: error: expected ')' after the labels, found '*'
   *   y(i) = A(i, j * x(j)
   *                 ^
   *   close the label list: A(i, j)
   * </pre>
   */
  public String render() {
    SourceText source = span.source();
    String line = source.lineAt(span.offset());
    int column = source.column(span.offset());
    if (line.length() > LONGEST_LINE) {
      int from = Math.max(0, Math.min(column - 1 - LONGEST_LINE / 2, line.length() - LONGEST_LINE));
      int to = from + LONGEST_LINE;
      String before = from > 0 ? "..." : "";
      line = before + line.substring(from, to) + (to < line.length() ? "..." : "");
      column += before.length() - from;
    }
    int width = Math.max(1, Math.min(span.length(), line.length() - column + 1));
    String text =
        span
            + ": "
            + severity.name().toLowerCase(Locale.ROOT)
            + ": "
            + message
            + "\n  "
            + line.replace('\t', ' ')
            + "\n  "
            + " ".repeat(column - 1)
            + "^"
            + "~".repeat(width - 1);
    return advice.isEmpty() ? text : text + "\n  " + advice;
  }
}
