package org.weft.spark.ingest.record;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.hadoop.io.Text;
import org.jspecify.annotations.Nullable;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.Utf8Text;
import org.weft.text.Counts;

/**
 * A record of separated values taken apart, in UTF-8. Cells without quotes, and cells that are
 * quoted as a whole, are found here. Spark's parser has all others, so that a record has the same
 * cells in one process as on Spark. Not thread-safe.
 */
public final class CsvCells extends RecordCells {
  private static final byte QUOTE = '"';

  private final byte separator;
  private byte[] unquoted = new byte[0];
  private @Nullable SparkCells others;

  /**
   * @param separator a character of ASCII that is not a quote
   * @param columns that a record has
   */
  public CsvCells(char separator, int columns) {
    super(columns);
    this.separator = (byte) separator;
  }

  @Override
  public void read(Text record) throws BadCell {
    if (!takeApart(record)) {
      throw new BadCell("", "expected " + Counts.plain(columns, "cell"));
    }
  }

  /** Whether the record has as many cells as there are columns. */
  private boolean takeApart(Text record) throws BadCell {
    text = record.getBytes();
    int length = record.getLength();
    int cell = 0;
    int start = 0;
    int seen = 0;
    boolean plain = true;
    for (int at = 0; at < length && plain; at++) {
      byte b = text[at];
      seen |= b;
      plain = b != QUOTE && b != 0;
      if (b == separator) {
        put(cell++, start, at);
        start = at + 1;
      }
    }
    if (plain && seen >= 0) {
      put(cell, start, length);
      return cell + 1 == columns;
    }
    return readUnusual(record, plain);
  }

  private void put(int cell, int start, int end) {
    if (cell < columns) {
      starts[cell] = start;
      ends[cell] = end;
    }
  }

  /** A record with quotes, or with letters that may not be UTF-8. */
  private boolean readUnusual(Text record, boolean plain) throws BadCell {
    String line = Utf8Text.of(record);
    text = line.getBytes(StandardCharsets.UTF_8);
    int cells = plain ? split() : unquote();
    return cells >= 0 ? cells == columns : readOther(line);
  }

  /** Number of cells of text without quotes. */
  private int split() {
    int cell = 0;
    int start = 0;
    for (int at = 0; at < text.length; at++) {
      if (text[at] == separator) {
        put(cell++, start, at);
        start = at + 1;
      }
    }
    put(cell, start, text.length);
    return cell + 1;
  }

  /** Number of cells of text with quotes; -1 if not all are quoted as a whole. */
  private int unquote() {
    if (unquoted.length < text.length) {
      unquoted = new byte[text.length];
    }
    int into = 0;
    int cell = 0;
    int at = 0;
    while (true) {
      int start = into;
      if (at < text.length && text[at] == QUOTE) {
        at++;
        while (at < text.length && !(text[at] == QUOTE && !isDoubled(at))) {
          if (text[at] == '\n' || text[at] == 0) {
            return -1;
          }
          at += text[at] == QUOTE ? 1 : 0;
          unquoted[into++] = text[at++];
        }
        at++; // past the quote
        if (at > text.length || at < text.length && text[at] != separator) {
          return -1;
        }
      } else {
        while (at < text.length && text[at] != separator) {
          if (text[at] == QUOTE || text[at] == 0) {
            return -1;
          }
          unquoted[into++] = text[at++];
        }
      }
      put(cell++, start, into);
      if (at == text.length) {
        text = unquoted;
        return cell;
      }
      at++;
    }
  }

  private boolean isDoubled(int at) {
    return at + 1 < text.length && text[at + 1] == QUOTE;
  }

  private boolean readOther(String line) {
    SparkCells parser = others == null ? new SparkCells((char) separator) : others;
    others = parser;
    @Nullable String[] cells = parser.read(line);
    if (cells.length != columns) {
      return false;
    }
    int end = 0;
    for (int cell = 0; cell < columns; cell++) {
      String found = cells[cell];
      byte[] bytes = found == null ? new byte[0] : found.getBytes(StandardCharsets.UTF_8);
      if (unquoted.length < end + bytes.length) {
        unquoted = Arrays.copyOf(unquoted, 2 * (end + bytes.length));
      }
      System.arraycopy(bytes, 0, unquoted, end, bytes.length);
      put(cell, end, end + bytes.length);
      end += bytes.length;
    }
    text = unquoted;
    return true;
  }
}
