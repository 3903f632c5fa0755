package org.weft.spark.ingest;

import java.io.Serial;

/** A cell that cannot be used: the reason for a reject. Cheap to throw. */
final class BadCell extends Exception {
  @Serial private static final long serialVersionUID = 1L;
  private static final int SHOWN = 80;

  private final String column;

  /** The cell of {@code column} in general terms, the same for all like it. */
  BadCell(String column, String reason) {
    super(reason, null, false, false);
    this.column = column;
  }

  String column() {
    return column;
  }

  String reason() {
    return String.valueOf(getMessage());
  }

  /** A cell as messages show it. */
  static String shown(Object cell) {
    String text = String.valueOf(cell);
    return "'" + (text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...") + "'";
  }
}
