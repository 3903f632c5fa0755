package org.weft.compiler.lang;

/** A named piece of source text: a file, or an expression given on the command line. */
public record SourceText(String name, String text) {

  /** Text that comes from an option or an API call rather than a file. */
  public static SourceText expression(String text) {
    return new SourceText("expression", text);
  }

  /** 1-based line of the character at {@code offset}. */
  public int line(int offset) {
    int line = 1;
    for (int i = 0; i < offset; i++) {
      if (text.charAt(i) == '\n') {
        line++;
      }
    }
    return line;
  }

  /** 1-based column, in characters, of the character at {@code offset}. */
  public int column(int offset) {
    return offset - lineStart(offset) + 1;
  }

  /** The whole line around {@code offset}, without its end. */
  public String lineAt(int offset) {
    int end = text.indexOf('\n', offset);
    return text.substring(lineStart(offset), end < 0 ? text.length() : end).replace("\r", "");
  }

  private int lineStart(int offset) {
    return offset == 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  }
}
