package org.weft.storage.document;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Text of tab-separated values, line by line. An absent value is an empty cell; a tab or an end of
 * line within a value becomes a blank.
 */
public final class TabSeparated {
  private final StringBuilder text = new StringBuilder();
  private boolean inLine;

  /** A line of the names of the first row, then a line for each row; empty without rows. */
  public static String of(List<? extends Map<String, ? extends @Nullable Object>> rows) {
    TabSeparated table = new TabSeparated();
    if (!rows.isEmpty()) {
      rows.get(0).keySet().forEach(table::add);
      table.endLine();
    }
    for (Map<String, ? extends @Nullable Object> row : rows) {
      row.values().forEach(table::add);
      table.endLine();
    }
    return table.take();
  }

  /** The text of a cell that has this value. */
  public static String cell(String value) {
    return value.replace('\t', ' ').replace('\n', ' ').replace('\r', ' ');
  }

  /** Adds a cell to the line. */
  public TabSeparated add(@Nullable Object value) {
    if (inLine) {
      text.append('\t');
    }
    inLine = true;
    if (value instanceof Number) {
      text.append(value);
    } else if (value != null) {
      text.append(cell(value.toString()));
    }
    return this;
  }

  /** Ends the line. */
  public TabSeparated endLine() {
    text.append('\n');
    inLine = false;
    return this;
  }

  /** What was added since the last call. */
  public String take() {
    String taken = text.toString();
    text.setLength(0);
    return taken;
  }
}
