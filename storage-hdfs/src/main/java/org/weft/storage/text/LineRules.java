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

  /** White space within a line; a carriage return in front of the line feed is one. */
  static boolean isBlank(int c) {
    return c == ' ' || (c >= 9 && c <= 13 && c != '\n');
  }

  /**
   * Where a carriage return has text behind it in a line that ends with a line feed, or -1. Such a
   * line is several lines of a program that ends them with carriage returns alone.
   */
  static int strayReturn(byte[] line) {
    int end = line.length;
    while (end > 0 && (isBlank(line[end - 1]) || line[end - 1] == '\n')) {
      end--;
    }
    for (int p = 0; p < end; p++) {
      if (line[p] == '\r') {
        return p;
      }
    }
    return -1;
  }

  /** White space or the end of the line: what ends a token. */
  static boolean endsToken(int c) {
    return c == ' ' || (c >= 9 && c <= 13);
  }
}
