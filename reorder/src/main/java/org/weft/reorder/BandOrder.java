package org.weft.reorder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Finds a hidden band: reverse Cuthill-McKee, then sweeps in which every slice of one mode after
 * the other moves to the mean of the relative positions of its entries' other coordinates. Levels
 * of a breadth-first search are as wide as the band; the means sort slices within them (the
 * barycentre heuristic of Sugiyama, Tagawa and Toda 1981; ranks after each step keep positions from
 * shrinking together). Sweeps end when the mean distance from the diagonal falls no more. They
 * count only if they lower it by two fifths: Cuthill-McKee's slices are first used in the order of
 * their labels, which caches like better than a slightly narrower band.
 *
 * <p>Cost: that of {@link CuthillMcKeeOrder}, and {@code O(order entries + sizes log sizes)} a
 * sweep.
 */
final class BandOrder implements Reorderer {
  private static final int SWEEPS = 24;

  /** Sweeps go on while the distance falls to this share of what it was. */
  private static final double PROGRESS = 0.995;

  /** Share of Cuthill-McKee's distance below which the sweeps' labels are taken. */
  private static final double WORTHWHILE = 0.6;

  private static final int POSITION_BITS = 30;

  @Override
  public String name() {
    return "band";
  }

  @Override
  public List<Permutation> reorder(TensorShape shape, List<CooBlock> blocks) {
    List<Permutation> first = new CuthillMcKeeOrder().reorder(shape, blocks);
    List<Permutation> best = first;
    EntryTable table = new EntryTable(shape, blocks);
    if (table.order() < 2 || table.size() == 0) {
      return first;
    }
    int[][] labels = new int[table.order()][];
    for (int m = 0; m < labels.length; m++) {
      labels[m] = new int[table.modeSize(m)];
      for (int c = 0; c < labels[m].length; c++) {
        labels[m][c] = (int) best.get(m).apply(c);
      }
    }
    double before = distance(table, labels);
    double least = before;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      for (int m = 0; m < labels.length; m++) {
        labels[m] = moved(table, labels, m);
      }
      double now = distance(table, labels);
      if (now >= least * PROGRESS) {
        break;
      }
      least = now;
      best = new ArrayList<>();
      for (int[] label : labels) {
        best.add(Permutation.of(label));
      }
    }
    return least <= before * WORTHWHILE ? best : first;
  }

  /** Relative position of a label, in units of 2^-30 of the mode. */
  private static long position(int label, int size) {
    return ((2L * label + 1) << (POSITION_BITS - 1)) / size;
  }

  /** Mean distance of two modes' relative positions, over entries and neighbouring modes. */
  private static double distance(EntryTable table, int[][] labels) {
    double sum = 0;
    for (int m = 1; m < labels.length; m++) {
      int[] above = table.column(m - 1);
      int[] below = table.column(m);
      for (int e = 0; e < table.size(); e++) {
        sum +=
            Math.abs(
                position(labels[m - 1][above[e]], labels[m - 1].length)
                    - position(labels[m][below[e]], labels[m].length));
      }
    }
    return sum;
  }

  /** New labels of one mode: by mean position of the others; slices without entries stay last. */
  private static int[] moved(EntryTable table, int[][] labels, int mode) {
    int size = table.modeSize(mode);
    long[] sums = new long[size];
    int[] counts = new int[size];
    int[] own = table.column(mode);
    for (int other = 0; other < labels.length; other++) {
      if (other == mode) {
        continue;
      }
      int[] column = table.column(other);
      int[] label = labels[other];
      for (int e = 0; e < own.length; e++) {
        sums[own[e]] += position(label[column[e]], label.length);
        counts[own[e]]++;
      }
    }
    int[] at = new int[size];
    long[] keys = new long[size];
    for (int c = 0; c < size; c++) {
      int label = labels[mode][c];
      at[label] = c;
      long mean = counts[c] == 0 ? (1L << POSITION_BITS) + 1 : sums[c] / counts[c];
      keys[c] = mean << 32 | label;
    }
    Arrays.sort(keys);
    int[] moved = new int[size];
    for (int i = 0; i < size; i++) {
      moved[at[(int) keys[i]]] = i;
    }
    return moved;
  }
}
