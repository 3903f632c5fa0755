package org.weft.spark.ingest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.ShortDecimal;
import org.weft.spark.ingest.key.HeapLimit;
import org.weft.spark.ingest.record.RecordCells;
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
  private static final int BLOCK = 1 << 16;

  /** Reads {@code split}. Cost: a pass over it. */
  static SplitRows read(PlainTable table, FileSplit split, IngestJob job, HeapLimit limit) {
    return new Reading(table, split, job, limit).rows();
  }

  private static final class Reading {
    private final PlainTable table;
    private final FileSplit split;
    private final List<ModeSpec> modes;
    private final int[] columns;
    private final int valueColumn;
    private final String valueName;
    private final CellRules rules;
    private final HeapLimit limit;
    private final RecordCells cells;
    private final List<ModeKeys> keys;
    private final List<CooBlock> blocks = new ArrayList<>();
    private final List<Reject> rejects = new ArrayList<>();
    private int[][] numbers;
    private double[] values = new double[BLOCK];
    private int rows;
    private long keyBytes;

    Reading(PlainTable table, FileSplit split, IngestJob job, HeapLimit limit) {
      this.table = table;
      this.split = split;
      this.modes = job.modes();
      this.columns =
          modes.stream().mapToInt(mode -> table.columns().indexOf(mode.column())).toArray();
      this.valueName = job.value() == null ? "" : job.value();
      this.valueColumn = job.value() == null ? -1 : table.columns().indexOf(valueName);
      this.rules = new CellRules(job);
      this.limit = limit;
      this.cells = table.layout().cells();
      this.keys = modes.stream().map(ModeKeys::of).toList();
      this.numbers = new int[modes.size()][BLOCK];
    }

    SplitRows rows() {
      try (SplitLines lines = new SplitLines(table.input(), split)) {
        LineCursor cursor =
            new LineCursor(split, lines, table.layout().header(), table.layout().quote());
        while (cursor.next()) {
          row(cursor);
        }
        endBlock();
        return new SplitRows(split, blocks, keys, rejects, cursor.lines());
      }
    }

    private void row(LineCursor cursor) {
      try {
        if (!cells.read(cursor.text())) {
          throw new BadCell("", cells.expected());
        }
        for (int mode = 0; mode < numbers.length; mode++) {
          numbers[mode][rows] = number(mode);
        }
        values[rows] = valueColumn < 0 ? 1.0 : value();
        rows++;
        if (rows == BLOCK) {
          endBlock();
        }
      } catch (BadCell bad) {
        reject(cursor, bad);
      }
    }

    private int number(int mode) throws BadCell {
      int cell = columns[mode];
      if (cells.isBlank(cell)) {
        byte[] missing = ((String) rules.missing(modes.get(mode))).getBytes(StandardCharsets.UTF_8);
        return keys.get(mode).number(missing, 0, missing.length);
      }
      return keys.get(mode).number(cells.bytes(), cells.start(cell), cells.end(cell));
    }

    /** The value; short decimal numbers are exact doubles divided by exact powers of ten. */
    private double value() throws BadCell {
      double exact =
          ShortDecimal.parse(cells.bytes(), cells.start(valueColumn), cells.end(valueColumn));
      return Double.isNaN(exact) ? rules.value(valueName, cells.string(valueColumn)) : exact;
    }

    private void reject(LineCursor cursor, BadCell bad) {
      String record = Reject.shortened(cursor.text().toString());
      limit.take(2L * record.length() + 100);
      rejects.add(
          new Reject(
              TextInput.name(split),
              cursor.number(),
              bad.column(),
              bad.reason(),
              found(bad.column()),
              record));
    }

    private @org.jspecify.annotations.Nullable String found(String column) {
      int cell = column.isEmpty() ? -1 : table.columns().indexOf(column);
      return cell < 0 || cells.isBlank(cell) ? null : BadCell.shown(cells.string(cell));
    }

    private void endBlock() {
      if (rows == 0) {
        return;
      }
      CooBlock block = CooBlock.ofColumns(numbers, values, rows);
      blocks.add(rows == BLOCK ? block : block.slice(0, rows));
      long now = keys.stream().mapToLong(ModeKeys::bytes).sum();
      limit.take(rows * (Double.BYTES + 4L * numbers.length) + now - keyBytes);
      keyBytes = now;
      numbers = new int[modes.size()][BLOCK];
      values = new double[BLOCK];
      rows = 0;
    }
  }
}
