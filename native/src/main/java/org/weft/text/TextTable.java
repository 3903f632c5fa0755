package org.weft.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A table for a terminal: each column is as wide as its widest cell in characters, two blanks stand
 * between columns, and no line ends with blanks.
 */
public final class TextTable {
  private static final String BETWEEN = "  ";

  private final String sides;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * An empty table.
   *
   * @param sides a character for each column: {@code <} aligns it to the left, {@code >} to the
   *     right; the last one is that of all further columns too
   */
  public TextTable(String sides) {
    this.sides = sides;
  }

  /** Adds a row, or the head; a row may be shorter than others. */
  public TextTable row(String... cells) {
    return row(Arrays.asList(cells));
  }

  /** Adds a row, or the head; a row may be shorter than others. */
  public TextTable row(List<String> cells) {
    rows.add(List.copyOf(cells));
    return this;
  }

  /** The lines, without their ends. */
  public List<String> lines() {
    int columns = rows.stream().mapToInt(List::size).max().orElse(0);
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int at = 0; at < row.size(); at++) {
        widths[at] = Math.max(widths[at], characters(row.get(at)));
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int at = 0; at < row.size(); at++) {
      String blanks = " ".repeat(widths[at] - characters(row.get(at)));
      line.append(at == 0 ? "" : BETWEEN);
      boolean left = sides.charAt(Math.min(at, sides.length() - 1)) == '<';
      line.append(left ? row.get(at) + blanks : blanks + row.get(at));
    }
    return line.toString().stripTrailing();
  }

  /** The lines, each with its end. */
  public String text() {
    StringBuilder text = new StringBuilder();
    lines().forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  private static int characters(String text) {
    return text.codePointCount(0, text.length());
  }
}
