package org.weft.spark.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.weft.spark.label.StoredLabels;

/**
 * Keys of one range on their way to the task that numbers them: those of one {@link KeyedRows}, or
 * labels of the tensor that is added to.
 *
 * @param mode of the rows whose keys these are; of labels: any
 * @param keys or labels
 * @param at of keys: their numbers among those of the rows; of labels: their coordinates
 * @param rows of each key; none for labels
 */
public record KeyShare(int mode, ByteDictionary keys, long[] at, int[] rows) {
  /** Whether these are labels of the tensor that is added to. */
  boolean isLabels() {
    return rows.length == 0;
  }

  /** Gives the shares of {@code all} that occur in a row, with the partition of each. */
  public static void each(KeyedRows all, KeyBounds bounds, BiConsumer<Integer, KeyShare> taker) {
    for (int mode = 0; mode < all.keys().size(); mode++) {
      int space = all.spaces()[mode];
      if (space == KeyedRows.COORDINATES) {
        continue;
      }
      ByteDictionary keys = all.keys().get(mode);
      int[] counts = all.counts(mode);
      List<Builder> shares = new ArrayList<>();
      for (int range = 0; range < bounds.ranges(space); range++) {
        shares.add(new Builder());
      }
      for (int number = 0; number < counts.length; number++) {
        if (counts[number] > 0) {
          byte[] key = keys.get(number);
          int range = bounds.partition(space, key) - bounds.first(space);
          shares.get(range).add(key, number, counts[number]);
        }
      }
      for (int range = 0; range < shares.size(); range++) {
        if (shares.get(range).keys.size() > 0) {
          taker.accept(bounds.first(space) + range, shares.get(range).build(mode));
        }
      }
    }
  }

  private static final class Builder {
    private final ByteDictionary keys = new ByteDictionary();
    private final LongStream.Builder at = LongStream.builder();
    private final IntStream.Builder rows = IntStream.builder();

    void add(byte[] key, int number, int count) {
      keys.number(key, 0, key.length);
      at.add(number);
      rows.add(count);
    }

    /** Adds a label; false if it is there. */
    boolean addLabel(byte[] label, long coordinate) {
      boolean there = keys.find(label, 0, label.length) >= 0;
      if (!there) {
        keys.number(label, 0, label.length);
        at.add(coordinate);
      }
      return !there;
    }

    KeyShare build(int mode) {
      return new KeyShare(mode, keys, at.build().toArray(), rows.build().toArray());
    }
  }

  /**
   * Gives shares of labels that a tensor has, with each partition where they may occur. No share
   * has a label twice.
   */
  public static void ofLabels(
      Iterable<StoredLabels.Stored> labels,
      KeyBounds bounds,
      int space,
      KeyLabels kind,
      BiConsumer<Integer, KeyShare> taker) {
    boolean areKeys = kind.areKeys();
    int first = bounds.first(space);
    Builder[] open = new Builder[areKeys ? bounds.ranges(space) : 1];
    Arrays.setAll(open, range -> new Builder());
    IntConsumer end =
        range -> {
          KeyShare share = open[range].build(0);
          open[range] = new Builder();
          for (int r = areKeys ? range : 0; r < (areKeys ? range + 1 : bounds.ranges(space)); r++) {
            taker.accept(first + r, share);
          }
        };
    for (StoredLabels.Stored stored : labels) {
      byte[] label = stored.label().getBytes(StandardCharsets.UTF_8);
      int range = areKeys ? bounds.partition(space, label) - first : 0;
      if (!open[range].addLabel(label, stored.coordinate())) {
        end.accept(range);
        open[range].addLabel(label, stored.coordinate());
      }
    }
    for (int range = 0; range < open.length; range++) {
      end.accept(range);
    }
  }

  /** Writes all of it. */
  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(mode);
    keys.writeTo(out);
    NumberArrays.write(out, at);
    NumberArrays.write(out, rows);
  }

  /** Reads what {@link #writeTo} wrote. */
  public static KeyShare readFrom(DataInput in) throws IOException {
    return new KeyShare(
        in.readInt(),
        ByteDictionary.readFrom(in),
        NumberArrays.readLongs(in),
        NumberArrays.readInts(in));
  }
}
