package org.weft.reorder;

import java.util.ArrayList;
import java.util.List;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * What contiguous partitions of mode 0 with equal entries would weigh and fetch. Slices are not
 * split, so a slice heavier than a partition shows as imbalance.
 *
 * @param partitions how many
 * @param imbalance entries of the heaviest over the mean; 1 is perfect; 0 without entries
 * @param rowsFetched for each mode but 0, in mode order: distinct rows of the mode's operand,
 *     summed over the partitions, that is, what all partitions together fetch
 */
public record PartitionMetrics(int partitions, double imbalance, List<Long> rowsFetched) {
  public PartitionMetrics {
    rowsFetched = List.copyOf(rowsFetched);
  }

  /** All rows that are fetched, of whatever mode. */
  public long totalRowsFetched() {
    return rowsFetched.stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Measures. Cost {@code O(order entries)}.
   *
   * @param partitions at least 1
   */
  public static PartitionMetrics of(TensorShape shape, List<CooBlock> blocks, int partitions) {
    if (partitions < 1) {
      throw new IllegalArgumentException("expected at least 1 partition, found " + partitions);
    }
    EntryTable table = new EntryTable(shape, blocks);
    int[] byRoot = table.order() == 0 ? new int[0] : table.sortedBy(0);
    int[] begin = boundaries(table, byRoot, partitions);
    long heaviest = 0;
    for (int p = 0; p < partitions; p++) {
      heaviest = Math.max(heaviest, begin[p + 1] - begin[p]);
    }
    List<Long> fetched = new ArrayList<>();
    for (int m = 1; m < table.order(); m++) {
      fetched.add(distinctRows(table, m, byRoot, begin));
    }
    double mean = byRoot.length / (double) partitions;
    return new PartitionMetrics(partitions, mean == 0 ? 0 : heaviest / mean, fetched);
  }

  /**
   * The first coordinates of mode 0 of the partitions but the first, ascending.
   *
   * @param partitions at least 1
   */
  public static long[] boundaries(TensorShape shape, List<CooBlock> blocks, int partitions) {
    EntryTable table = new EntryTable(shape, blocks);
    int[] byRoot = table.sortedBy(0);
    int[] begin = boundaries(table, byRoot, partitions);
    long[] coordinates = new long[partitions - 1];
    for (int p = 1; p < partitions; p++) {
      coordinates[p - 1] =
          begin[p] < byRoot.length ? table.column(0)[byRoot[begin[p]]] : shape.size(0);
    }
    return coordinates;
  }

  /** Where partitions begin among the entries: at the slice border nearest to an equal share. */
  private static int[] boundaries(EntryTable table, int[] byRoot, int partitions) {
    int[] begin = new int[partitions + 1];
    begin[partitions] = byRoot.length;
    for (int p = 1; p < partitions; p++) {
      int at = (int) ((long) byRoot.length * p / partitions);
      int down = at;
      int up = at;
      while (down > 0 && !isBorder(table, byRoot, down)) {
        down--;
      }
      while (up < byRoot.length && !isBorder(table, byRoot, up)) {
        up++;
      }
      begin[p] = Math.max(begin[p - 1], at - down <= up - at ? down : up);
    }
    return begin;
  }

  private static boolean isBorder(EntryTable table, int[] byRoot, int at) {
    if (at == 0 || at == byRoot.length) {
      return true;
    }
    int[] root = table.column(0);
    return root[byRoot[at - 1]] != root[byRoot[at]];
  }

  private static long distinctRows(EntryTable table, int mode, int[] byRoot, int[] begin) {
    int[] lastPartition = new int[table.modeSize(mode)];
    int[] column = table.column(mode);
    long distinct = 0;
    for (int p = 0; p + 1 < begin.length; p++) {
      for (int at = begin[p]; at < begin[p + 1]; at++) {
        int row = column[byRoot[at]];
        if (lastPartition[row] != p + 1) {
          lastPartition[row] = p + 1;
          distinct++;
        }
      }
    }
    return distinct;
  }
}
