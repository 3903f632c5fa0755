package org.weft.spark.ingest;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.key.KeyedRows;
import org.weft.tensor.CooBlock;

/** Collects rows of cells. A row that does not end leaves nothing but keys. Not thread-safe. */
final class CellRows {
  /** Rows of a block. */
  static final int BLOCK = 1 << 16;

  private final List<ModeKeys> keys;
  private final List<CooBlock> blocks = new ArrayList<>();
  private int[][] numbers;
  private double[] values = new double[BLOCK];
  private int row;

  /**
   * @param keys by mode, none of which are there yet
   */
  CellRows(List<ModeKeys> keys) {
    this.keys = keys;
    this.numbers = new int[keys.size()][BLOCK];
  }

  /** Gives the row the key of a cell, in UTF-8. */
  void cell(int mode, byte[] text, int from, int to) throws BadCell {
    numbers[mode][row] = keys.get(mode).number(text, from, to);
  }

  /** Gives the row a key. */
  void key(int mode, Object key) {
    numbers[mode][row] = keys.get(mode).number(key);
  }

  /** Ends the row, which has keys of all modes. */
  void end(double value) {
    values[row++] = value;
    if (row == BLOCK) {
      endBlock();
    }
  }

  private void endBlock() {
    if (row > 0) {
      CooBlock block = CooBlock.ofColumns(numbers, values, row);
      blocks.add(row == BLOCK ? block : block.slice(0, row));
      numbers = new int[keys.size()][BLOCK];
      values = new double[BLOCK];
      row = 0;
    }
  }

  /** Rows so far. */
  long rows() {
    return (long) blocks.size() * BLOCK + row;
  }

  /** About the bytes on the heap. */
  long bytes() {
    return rows() * (Double.BYTES + 4L * keys.size())
        + keys.stream().mapToLong(ModeKeys::bytes).sum();
  }

  /** Ends the rows. */
  List<CooBlock> blocks() {
    endBlock();
    return blocks;
  }

  /** Ends the rows. */
  KeyedRows build(long rejected) {
    blocks();
    CooBlock rows =
        blocks.isEmpty()
            ? CooBlock.ofColumns(new int[keys.size()][0], new double[0], 0)
            : CooBlock.concat(blocks);
    int[] spaces = IntStream.range(0, keys.size()).toArray();
    return new KeyedRows(rows, keys.stream().map(ModeKeys::dictionary).toList(), spaces, rejected);
  }
}
