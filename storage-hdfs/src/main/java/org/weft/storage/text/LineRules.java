package org.weft.storage.text;

/** Which lines of a text format are comments: those whose first non-blank byte says so. */
enum LineRules {
  /** FROSTT: {@code #}, and the {@code ;} that MLIR writes. */
  TNS('#', ';'),
  /** Matrix Market: {@code %}. */
  MTX('%', '%');

  private final byte first;
  private final byte second;

  LineRules(char first, char second) {
    this.first = (byte) first;
    this.second = (byte) second;
  }

  boolean isComment(int c) {
    return c == first || c == second;
  }

  /** Both bytes. */
  String comments() {
    return "" + (char) first + (char) second;
  }

  /** White space within a line; a carriage return is one. */
  static boolean isBlank(int c) {
    return c == ' ' || (c >= 9 && c <= 13 && c != '\n');
  }

  /** White space or the end of the line: what ends a token. */
  static boolean endsToken(int c) {
    return c == ' ' || (c >= 9 && c <= 13);
  }
}
