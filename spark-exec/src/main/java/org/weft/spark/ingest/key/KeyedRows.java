package org.weft.spark.ingest.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.tensor.CooBlock;

/**
 * Some rows of a table: numbers of keys and a value each.
 *
 * @param rows whose coordinates are numbers of {@code keys}
 * @param keys by mode
 * @param rejected rows beside these that cannot be used
 */
public record KeyedRows(CooBlock rows, List<ByteDictionary> keys, long rejected) {
  /** Writes all of it. */
  public void writeTo(DataOutput out) throws IOException {
    rows.writeTo(out);
    out.writeInt(keys.size());
    for (ByteDictionary mode : keys) {
      mode.writeTo(out);
    }
    out.writeLong(rejected);
  }

  /** Reads what {@link #writeTo} wrote. */
  public static KeyedRows readFrom(DataInput in) throws IOException {
    CooBlock rows = CooBlock.readFrom(in);
    List<ByteDictionary> keys = new ArrayList<>();
    for (int modes = in.readInt(); modes > 0; modes--) {
      keys.add(ByteDictionary.readFrom(in));
    }
    return new KeyedRows(rows, keys, in.readLong());
  }

  /**
   * The rows whose keys all have coordinates, with their keys only. None counts as rejected.
   *
   * @param coordinates by mode and key, below 0 for none
   */
  public KeyedRows only(long[][] coordinates) {
    long[][] numbers = new long[coordinates.length][];
    List<ByteDictionary> left = new ArrayList<>();
    for (int mode = 0; mode < numbers.length; mode++) {
      ByteDictionary all = keys.get(mode);
      ByteDictionary some = new ByteDictionary();
      numbers[mode] = new long[coordinates[mode].length];
      Arrays.fill(numbers[mode], -1);
      for (int key = 0; key < all.size(); key++) {
        if (coordinates[mode][key] >= 0) {
          byte[] text = all.get(key);
          numbers[mode][key] = some.number(text, 0, text.length);
        }
      }
      left.add(some);
    }
    return new KeyedRows(rows.moved(numbers), left, 0);
  }

  /**
   * A number that other rows, or the same rows with other numbers for their keys, are unlikely to
   * have.
   */
  public long fingerprint() {
    long hash = rows.size();
    for (int row = 0; row < rows.size(); row++) {
      for (int mode = 0; mode < rows.order(); mode++) {
        hash = mixed(hash, rows.coordinate(mode, row));
      }
      hash = mixed(hash, Double.doubleToLongBits(rows.value(row)));
    }
    for (ByteDictionary mode : keys) {
      hash = mixed(hash, mode.fingerprint());
    }
    return hash;
  }

  /** A step of a polynomial hash whose high bits reach the low ones. */
  static long mixed(long hash, long next) {
    long product = (hash ^ next) * 0x9E3779B97F4A7C15L;
    return product ^ product >>> 32;
  }

  /** The rows of each key of {@code mode}, by its number. */
  int[] counts(int mode) {
    int[] counts = new int[keys.get(mode).size()];
    for (int row = 0; row < rows.size(); row++) {
      counts[(int) rows.coordinate(mode, row)]++;
    }
    return counts;
  }

  /** Collects rows. A row that does not end leaves nothing but keys. Not thread-safe. */
  public static final class Builder {
    /** Rows of a block. */
    public static final int BLOCK = 1 << 16;

    private final List<ModeKeys> keys;
    private final List<CooBlock> blocks = new ArrayList<>();
    private int[][] numbers;
    private double[] values = new double[BLOCK];
    private int row;

    /**
     * @param keys by mode, none of which are there yet
     */
    public Builder(List<ModeKeys> keys) {
      this.keys = keys;
      this.numbers = new int[keys.size()][BLOCK];
    }

    /** Gives the row the key of a cell, in UTF-8. */
    public void cell(int mode, byte[] text, int from, int to) throws BadCell {
      numbers[mode][row] = keys.get(mode).number(text, from, to);
    }

    /** Gives the row a key. */
    public void key(int mode, Object key) {
      numbers[mode][row] = keys.get(mode).number(key);
    }

    /** Ends the row, which has keys of all modes. */
    public void end(double value) {
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
    public long rows() {
      return (long) blocks.size() * BLOCK + row;
    }

    /** About the bytes on the heap. */
    public long bytes() {
      return rows() * (Double.BYTES + 4L * keys.size())
          + keys.stream().mapToLong(ModeKeys::bytes).sum();
    }

    /** Ends the rows. */
    public List<CooBlock> blocks() {
      endBlock();
      return blocks;
    }

    /** Ends the rows. */
    public KeyedRows build(long rejected) {
      blocks();
      CooBlock rows =
          blocks.isEmpty()
              ? CooBlock.ofColumns(new int[keys.size()][0], new double[0], 0)
              : CooBlock.concat(blocks);
      return new KeyedRows(rows, keys.stream().map(ModeKeys::dictionary).toList(), rejected);
    }
  }
}
