package org.weft.reorder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Orders the slices of every mode by their stored entries, ties by old label: heaviest first, so
 * that often-read rows share cache lines and pages, or lightest first. Hub clustering (Balaji and
 * Lucia, IISWC 2018) moves only the slices heavier than the mean to the front and keeps the order
 * of the others, and with it the locality that the input has. Cost {@code O(entries order + sum of
 * mode sizes)}, and a sort of each mode's slices.
 */
final class DegreeOrder implements Reorderer {
  /** Which slices come first. */
  enum Direction {
    DESCENDING,
    ASCENDING,
    HUBS
  }

  private final Direction direction;

  DegreeOrder(Direction direction) {
    this.direction = direction;
  }

  @Override
  public String name() {
    return direction == Direction.DESCENDING
        ? "degree"
        : "degree:" + direction.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public boolean followsNeighbours() {
    return false;
  }

  @Override
  public List<Permutation> reorder(TensorShape shape, List<CooBlock> blocks) {
    EntryTable entries = new EntryTable(shape, blocks);
    List<Permutation> permutations = new ArrayList<>();
    for (int m = 0; m < shape.order(); m++) {
      int[] degree = new int[entries.modeSize(m)];
      for (int coordinate : entries.column(m)) {
        degree[coordinate]++;
      }
      permutations.add(Permutation.ofOrder(order(degree, entries.size())));
    }
    return permutations;
  }

  /** Sorts packed (key, label) pairs, so that ties keep their old order. */
  private int[] order(int[] degree, long entries) {
    long[] keys = new long[degree.length];
    for (int i = 0; i < keys.length; i++) {
      boolean hub = (long) degree[i] * degree.length > entries;
      long key =
          switch (direction) {
            case ASCENDING -> degree[i];
            case DESCENDING -> Integer.MAX_VALUE - (long) degree[i];
            case HUBS -> hub ? Integer.MAX_VALUE - (long) degree[i] : Integer.MAX_VALUE;
          };
      keys[i] = key << 32 | i;
    }
    Arrays.sort(keys);
    int[] order = new int[keys.length];
    for (int i = 0; i < keys.length; i++) {
      order[i] = (int) keys[i];
    }
    return order;
  }
}
