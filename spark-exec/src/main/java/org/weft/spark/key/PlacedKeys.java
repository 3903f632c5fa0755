package org.weft.spark.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Coordinates of keys of one {@link KeyedRows}.
 *
 * @param numbers of the keys among those of the rows
 * @param coordinates of the keys; {@link #DROPPED} for keys that are too rare
 */
public record PlacedKeys(int mode, int[] numbers, long[] coordinates) {
  /** In the place of a coordinate: rows with this key are dropped. */
  public static final long DROPPED = -1;

  /**
   * By mode, for all keys of {@code rows}: {@link #DROPPED}, until the keys are told others. None
   * for modes whose coordinates stay.
   */
  public static long[][] none(KeyedRows rows) {
    long[][] coordinates = new long[rows.keys().size()][];
    for (int mode = 0; mode < coordinates.length; mode++) {
      // Not empty: CooBlock.moved would leave the mode as it is.
      boolean stay = rows.spaces()[mode] == KeyedRows.COORDINATES;
      coordinates[mode] = new long[stay ? 0 : Math.max(1, rows.keys().get(mode).size())];
      Arrays.fill(coordinates[mode], DROPPED);
    }
    return coordinates;
  }

  /** Puts these coordinates where they belong. */
  public void into(long[][] all) {
    for (int at = 0; at < numbers.length; at++) {
      all[mode][numbers[at]] = coordinates[at];
    }
  }

  /** Writes all of it. */
  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(mode);
    NumberArrays.write(out, numbers);
    NumberArrays.write(out, coordinates);
  }

  /** Reads what {@link #writeTo} wrote. */
  public static PlacedKeys readFrom(DataInput in) throws IOException {
    return new PlacedKeys(in.readInt(), NumberArrays.readInts(in), NumberArrays.readLongs(in));
  }
}
