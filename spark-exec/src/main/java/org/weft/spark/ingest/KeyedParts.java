package org.weft.spark.ingest;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.key.KeyedRows;

/** The rows of a part of a table in pieces that a task can hold; those of no use are counted. */
final class KeyedParts implements Iterator<KeyedRows> {
  private static final int ROWS = 1 << 19;
  private static final long BYTES = 48L << 20;
  private static final int LOOKS = 1 << 6;

  private final IngestJob job;
  private final TableRows rows;
  private boolean ready;

  KeyedParts(IngestJob job, TableRows rows) {
    this.job = job;
    this.rows = rows;
  }

  @Override
  public boolean hasNext() {
    ready = ready || rows.next();
    return ready;
  }

  @Override
  public KeyedRows next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    CellRows builder = job.rows();
    long rejected = 0;
    int read = 0;
    boolean room = true;
    while (room && hasNext()) {
      ready = false;
      try {
        rows.put(builder);
      } catch (BadCell e) {
        rejected++;
      }
      read++;
      room = builder.rows() < ROWS && (read % LOOKS != 0 || builder.bytes() < BYTES);
    }
    return builder.build(rejected);
  }
}
