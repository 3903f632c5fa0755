package org.weft.spark.ingest.cell;

import java.io.Serial;

/** A cell that cannot be used: the reason for a reject. Cheap to throw. */
public final class BadCell extends Exception {
  @Serial private static final long serialVersionUID = 1L;
  private static final int SHOWN = 80;

  private final String column;

  /** The cell of {@code column} in general terms, the same for all like it. */
  public BadCell(String column, String reason) {
    super(reason, null, false, false);
    this.column = column;
  }

  public String column() {
    return column;
  }

  public String reason() {
    return String.valueOf(getMessage());
  }

  /** A cell as messages show it. */
  public static String shown(Object cell) {
    String text = String.valueOf(cell);
    return "'" + (text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...") + "'";
  }
}
