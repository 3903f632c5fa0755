package org.weft.reorder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * BFS-MCS (Li et al., ICS 2019), after the maximum cardinality search of Tarjan and Yannakakis
 * (1984): for each mode in turn, the next slice is the one with most entries whose other
 * coordinates have been seen with slices taken before; ties go to the slice that has been reached
 * first, and a new component starts at its heaviest slice. Rows that use the same operand rows end
 * up next to each other.
 *
 * <p>Cost {@code O(order entries)} a mode: a bucket queue holds the slices by count. Modes are
 * ordered independently of each other, in one pass.
 */
final class CardinalityOrder implements Reorderer {
  @Override
  public String name() {
    return "bfs-mcs";
  }

  @Override
  public List<Permutation> reorder(TensorShape shape, List<CooBlock> blocks) {
    EntryTable table = new EntryTable(shape, blocks);
    Slices[] slices = Slices.ofEveryMode(table);
    List<Permutation> permutations = new ArrayList<>();
    for (int mode = 0; mode < table.order(); mode++) {
      permutations.add(Permutation.ofOrder(new Search(table, slices, mode).order()));
    }
    return permutations;
  }

  /** The search along one mode. */
  private static final class Search {
    private final EntryTable table;
    private final Slices[] slices;
    private final int mode;
    private final boolean[][] seen;
    private final int[] key; // entries seen from slices taken before, one per other mode; -1: taken
    private final Buckets buckets;

    Search(EntryTable table, Slices[] slices, int mode) {
      this.table = table;
      this.slices = slices;
      this.mode = mode;
      seen = new boolean[table.order()][];
      for (int m = 0; m < seen.length; m++) {
        seen[m] = new boolean[table.modeSize(m)];
      }
      key = new int[table.modeSize(mode)];
      buckets = new Buckets(key.length);
    }

    int[] order() {
      int[] byDegree = heaviestFirst();
      int[] order = new int[key.length];
      int filled = 0;
      for (int start : byDegree) {
        if (key[start] < 0) {
          continue;
        }
        take(start);
        order[filled++] = start;
        for (int next = buckets.removeMost(); next >= 0; next = buckets.removeMost()) {
          take(next);
          order[filled++] = next;
        }
      }
      return order;
    }

    private int[] heaviestFirst() {
      long[] keys = new long[key.length];
      for (int c = 0; c < keys.length; c++) {
        keys[c] = (long) (Integer.MAX_VALUE - slices[mode].degree(c)) << 32 | c;
      }
      Arrays.sort(keys);
      int[] order = new int[keys.length];
      for (int i = 0; i < keys.length; i++) {
        order[i] = (int) keys[i];
      }
      return order;
    }

    /** Every slice of another mode that this slice meets first counts for all it meets. */
    private void take(int slice) {
      key[slice] = -1;
      buckets.remove(slice);
      Slices own = slices[mode];
      for (int at = own.begin(slice); at < own.end(slice); at++) {
        for (int m = 0; m < table.order(); m++) {
          int other = table.column(m)[own.entry(at)];
          if (m != mode && !seen[m][other]) {
            seen[m][other] = true;
            count(slices[m], other);
          }
        }
      }
    }

    private void count(Slices others, int other) {
      int[] column = table.column(mode);
      for (int at = others.begin(other); at < others.end(other); at++) {
        int slice = column[others.entry(at)];
        if (key[slice] >= 0) {
          buckets.put(slice, ++key[slice]);
        }
      }
    }
  }

  /** Slices in doubly linked lists by key, first come first served within a key. */
  private static final class Buckets {
    private int[] head = new int[16];
    private int[] tail = new int[16];
    private final int[] next;
    private final int[] previous;
    private final int[] bucket; // 0: in none
    private int most;

    Buckets(int slices) {
      next = new int[slices];
      previous = new int[slices];
      bucket = new int[slices];
      Arrays.fill(head, -1);
      Arrays.fill(tail, -1);
    }

    void put(int slice, int key) {
      remove(slice);
      if (key >= head.length) {
        int old = head.length;
        head = Arrays.copyOf(head, Math.max(2 * old, key + 1));
        tail = Arrays.copyOf(tail, head.length);
        Arrays.fill(head, old, head.length, -1);
        Arrays.fill(tail, old, tail.length, -1);
      }
      bucket[slice] = key;
      next[slice] = -1;
      previous[slice] = tail[key];
      if (tail[key] >= 0) {
        next[tail[key]] = slice;
      } else {
        head[key] = slice;
      }
      tail[key] = slice;
      most = Math.max(most, key);
    }

    void remove(int slice) {
      int key = bucket[slice];
      if (key == 0) {
        return;
      }
      if (previous[slice] >= 0) {
        next[previous[slice]] = next[slice];
      } else {
        head[key] = next[slice];
      }
      if (next[slice] >= 0) {
        previous[next[slice]] = previous[slice];
      } else {
        tail[key] = previous[slice];
      }
      bucket[slice] = 0;
    }

    /** The first slice of the highest key, removed; -1 if all are empty. */
    int removeMost() {
      while (most > 0 && head[most] < 0) {
        most--;
      }
      if (most == 0) {
        return -1;
      }
      int slice = head[most];
      remove(slice);
      return slice;
    }
  }
}
