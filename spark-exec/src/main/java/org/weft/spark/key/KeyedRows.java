package org.weft.spark.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.tensor.CooBlock;

/**
 * Some rows of a table: numbers of keys, or coordinates, and a value each.
 *
 * @param rows whose coordinates are numbers of {@code keys} in modes that have some
 * @param keys by mode
 * @param spaces by mode, the {@link KeySpace} of its keys; {@link #COORDINATES} for a mode without
 * @param rejected rows beside these that cannot be used
 */
public record KeyedRows(CooBlock rows, List<ByteDictionary> keys, int[] spaces, long rejected) {
  /** In the place of a space: the coordinates of the mode are known, and stay. */
  public static final int COORDINATES = -1;

  /** Writes all of it. */
  public void writeTo(DataOutput out) throws IOException {
    rows.writeTo(out);
    out.writeInt(keys.size());
    for (ByteDictionary mode : keys) {
      mode.writeTo(out);
    }
    NumberArrays.write(out, spaces);
    out.writeLong(rejected);
  }

  /** Reads what {@link #writeTo} wrote. */
  public static KeyedRows readFrom(DataInput in) throws IOException {
    CooBlock rows = CooBlock.readFrom(in);
    List<ByteDictionary> keys = new ArrayList<>();
    for (int modes = in.readInt(); modes > 0; modes--) {
      keys.add(ByteDictionary.readFrom(in));
    }
    int[] spaces = NumberArrays.readInts(in);
    return new KeyedRows(rows, keys, spaces, in.readLong());
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
    return new KeyedRows(rows.moved(numbers), left, spaces, 0);
  }

  /**
   * A number that rows with other keys, or with other numbers for their keys, are unlikely to have.
   * Values do not count: the bits of sums differ when Spark makes them again.
   */
  public long fingerprint() {
    long hash = rows.size();
    for (int row = 0; row < rows.size(); row++) {
      for (int mode = 0; mode < rows.order(); mode++) {
        hash = mixed(hash, rows.coordinate(mode, row));
      }
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
}
