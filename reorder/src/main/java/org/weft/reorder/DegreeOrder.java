package org.weft.reorder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Orders the slices of every mode by their stored entries, ties by old label: heaviest first, so
 * that often-read rows share cache lines and pages, or lightest first. Cost {@code O(entries order
 * + sum of mode sizes)}.
 */
final class DegreeOrder implements Reorderer {
  private final boolean ascending;

  DegreeOrder(boolean ascending) {
    this.ascending = ascending;
  }

  @Override
  public String name() {
    return ascending ? "degree:ascending" : "degree";
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
      permutations.add(Permutation.ofOrder(order(degree)));
    }
    return permutations;
  }

  /** Sorts packed (key, label) pairs, so that ties keep their old order. */
  private int[] order(int[] degree) {
    long[] keys = new long[degree.length];
    for (int i = 0; i < keys.length; i++) {
      long key = ascending ? degree[i] : Integer.MAX_VALUE - (long) degree[i];
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
