package org.weft.spark.ingest.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Coordinates of keys of one {@link KeyedRows}.
 *
 * @param numbers of the keys among those of the rows
 * @param places their coordinates; {@link #DROPPED} for keys that are too rare
 */
public record PlacedKeys(int mode, int[] numbers, long[] places) {
  /** In the place of a coordinate: rows with this key are dropped. */
  public static final long DROPPED = -1;

  /** By mode the coordinates of all keys of {@code rows}; {@link #DROPPED} for those not told. */
  public static long[][] none(KeyedRows rows) {
    long[][] places = new long[rows.keys().size()][];
    for (int mode = 0; mode < places.length; mode++) {
      places[mode] = new long[Math.max(1, rows.keys().get(mode).size())];
      Arrays.fill(places[mode], DROPPED);
    }
    return places;
  }

  /** Puts these coordinates where they belong. */
  public void into(long[][] all) {
    for (int at = 0; at < numbers.length; at++) {
      all[mode][numbers[at]] = places[at];
    }
  }

  /** Writes all of it. */
  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(mode);
    out.writeInt(numbers.length);
    for (int number : numbers) {
      out.writeInt(number);
    }
    for (long place : places) {
      out.writeLong(place);
    }
  }

  /** Reads what {@link #writeTo} wrote. */
  public static PlacedKeys readFrom(DataInput in) throws IOException {
    int mode = in.readInt();
    int[] numbers = new int[in.readInt()];
    long[] places = new long[numbers.length];
    for (int at = 0; at < numbers.length; at++) {
      numbers[at] = in.readInt();
    }
    for (int at = 0; at < places.length; at++) {
      places[at] = in.readLong();
    }
    return new PlacedKeys(mode, numbers, places);
  }
}
