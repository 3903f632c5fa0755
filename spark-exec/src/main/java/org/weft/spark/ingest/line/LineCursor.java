package org.weft.spark.ingest.line;

import java.util.Iterator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.Utf8Text;
import org.weft.text.ByteOrderMark;

/** The records of one split, most of them a line each. Blank lines count, but are left out. */
public final class LineCursor {

  private static final byte[] LINE_END = {'\n'};

  private final String file;
  private final boolean first;
  private final Iterator<Text> lines;
  private final @Nullable String header;
  private final char quote;
  private long line;
  private long begin;
  private Text text = new Text();

  /**
   * @param lines of the split, each valid until the next
   * @param header the first line of every file, left out, or null if files have none
   * @param quote joins lines while a cell in these quotes is open; 0: lines are records
   */
  public LineCursor(FileSplit split, Iterator<Text> lines, @Nullable String header, char quote) {
    this.file = TextInput.name(split);
    this.first = split.getStart() == 0;
    this.lines = lines;
    this.header = header;
    this.quote = quote;
  }

  /** Moves to the next record; false at the end. */
  public boolean next() {
    while (lines.hasNext()) {
      text = line();
      begin = line;
      if (begin == 1 && first && header != null) {
        requireHeader(text.toString(), header);
        continue;
      }
      if (quote != 0) {
        join();
      }
      if (!isBlank()) {
        return true;
      }
    }
    return false;
  }

  /** The record, valid until the next. */
  public Text text() {
    return text;
  }

  /**
   * The record as the names of columns.
   *
   * @throws WeftException {@code MALFORMED_INPUT} for bytes that are not UTF-8
   */
  public String names() {
    try {
      return Utf8Text.of(text);
    } catch (BadCell bad) {
      throw Utf8Text.malformed(file, begin, text.toString());
    }
  }

  /** The record's first line in the split, from 1. */
  public long number() {
    return begin;
  }

  /** Lines so far. */
  public long lines() {
    return line;
  }

  private Text line() {
    line++;
    Text read = lines.next();
    int mark = line == 1 && first ? ByteOrderMark.bytesOf(read.getBytes(), read.getLength()) : 0;
    if (mark == 0) {
      return read;
    }
    Text rest = new Text();
    rest.set(read.getBytes(), mark, read.getLength() - mark);
    return rest;
  }

  private void join() {
    boolean open = opens(text);
    if (!open) {
      return;
    }
    Text joined = new Text(text); // a copy, as the line is valid until the next
    while (open && lines.hasNext()) {
      Text more = line();
      joined.append(LINE_END, 0, LINE_END.length);
      joined.append(more.getBytes(), 0, more.getLength());
      open = !opens(more);
    }
    text = joined;
  }

  /** Whether a line has an odd number of quotes: it opens a cell that it does not close. */
  private boolean opens(Text line) {
    boolean odd = false;
    for (int at = 0; at < line.getLength(); at++) {
      odd ^= line.getBytes()[at] == quote;
    }
    return odd;
  }

  private boolean isBlank() {
    return text.getLength() == 0
        || (text.getBytes()[0] <= ' ' && text.toString().isBlank()); // < 0 where not ASCII
  }

  private void requireHeader(String found, String expected) {
    if (!found.equals(expected)) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          file
              + ":1: expected the same header line as in the first file, "
              + BadCell.shown(expected)
              + ", found "
              + BadCell.shown(found)
              + "; read files with other columns on their own");
    }
  }
}
