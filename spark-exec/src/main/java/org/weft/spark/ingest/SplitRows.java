package org.weft.spark.ingest;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.line.SplitLines;
import org.weft.spark.key.HeapLimit;
import org.weft.tensor.CooBlock;

/**
 * The rows of one split: numbers of keys and a value each.
 *
 * @param blocks of rows, whose coordinates are numbers of {@code keys}
 * @param keys by mode
 * @param rejects with lines counted from the beginning of the split
 * @param lines of the split
 */
record SplitRows(
    FileSplit split, List<CooBlock> blocks, List<ModeKeys> keys, List<Reject> rejects, long lines) {

  /** Reads {@code split}. Cost: a pass over it. */
  static SplitRows read(PlainTable table, FileSplit split, IngestJob job, HeapLimit limit) {
    List<ModeKeys> keys = job.keys();
    CellRows builder = new CellRows(keys);
    List<Reject> rejects = new ArrayList<>();
    long taken = 0;
    try (SplitLines lines = new SplitLines(table.input(), split)) {
      PlainRows rows = new PlainRows(job, table.layout(), split, lines);
      while (rows.next()) {
        try {
          rows.put(builder);
          if (builder.rows() % CellRows.BLOCK == 0) {
            taken += take(limit, builder.bytes() - taken);
          }
        } catch (BadCell bad) {
          Reject reject = rows.reject(bad);
          limit.take(2L * reject.record().length() + 100);
          rejects.add(reject);
        }
      }
      take(limit, builder.bytes() - taken);
      return new SplitRows(split, builder.blocks(), keys, rejects, rows.lines());
    }
  }

  private static long take(HeapLimit limit, long bytes) {
    limit.take(bytes);
    return bytes;
  }
}
