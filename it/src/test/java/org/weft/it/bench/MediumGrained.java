package org.weft.it.bench;

import java.util.Arrays;
import java.util.BitSet;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * The medium-grained decomposition of a tensor (Smith and Karypis, IPDPS 2016): a grid of
 * processes, each with the entries of one layer of every mode. Grid and layers are chosen as SPLATT
 * does. A process sends a partial row for every row of a layer that it touches and does not own,
 * and gets the row back.
 */
final class MediumGrained {
  private final int[] grid;
  private final long[][] cuts;

  private MediumGrained(int[] grid, long[][] cuts) {
    this.grid = grid;
    this.cuts = cuts;
  }

  static MediumGrained of(CooBlock entries, TensorShape shape, int processes) {
    int[] grid = grid(shape, processes);
    long[][] cuts = new long[shape.order()][];
    for (int mode = 0; mode < cuts.length; mode++) {
      cuts[mode] = cuts(histogram(entries, mode, shape.size(mode)), grid[mode]);
    }
    return new MediumGrained(grid, cuts);
  }

  int[] grid() {
    return grid.clone();
  }

  /** The largest prime factor first, to the mode whose layers are longest beyond their share. */
  static int[] grid(TensorShape shape, int processes) {
    double target = Arrays.stream(shape.toArray()).sum() / (double) processes;
    int[] grid = new int[shape.order()];
    Arrays.fill(grid, 1);
    int left = processes;
    while (left > 1) {
      int prime = largestPrime(left);
      int longest = 0;
      for (int mode = 1; mode < grid.length; mode++) {
        if (beyond(shape, grid, mode, target) > beyond(shape, grid, longest, target)) {
          longest = mode;
        }
      }
      grid[longest] *= prime;
      left /= prime;
    }
    return grid;
  }

  private static double beyond(TensorShape shape, int[] grid, int mode, double target) {
    return Math.max(0, shape.size(mode) / (double) grid[mode] - target);
  }

  private static int largestPrime(int number) {
    int largest = 1;
    int left = number;
    for (int factor = 2; factor <= left; factor++) {
      while (left % factor == 0) {
        largest = factor;
        left /= factor;
      }
    }
    return largest;
  }

  private static long[] histogram(CooBlock entries, int mode, long size) {
    long[] counts = new long[Math.toIntExact(size)];
    for (int e = 0; e < entries.size(); e++) {
      counts[(int) entries.coordinate(mode, e)]++;
    }
    return counts;
  }

  /** First slices of layers with about equal entries, and the number of slices. */
  static long[] cuts(long[] slices, int layers) {
    long total = Arrays.stream(slices).sum();
    long[] cuts = new long[layers + 1];
    cuts[layers] = slices.length;
    double target = (double) total / layers;
    double last = 0;
    double sum = 0;
    int made = 1;
    for (int s = 0; s < slices.length && made < layers; s++) {
      if (s > 0 && sum >= last + target) {
        cuts[made] = s;
        made++;
        // The sum up to the nearer end of the slice before counts as given away.
        double before = sum - slices[s - 1];
        last = last + target - before < sum - (last + target) ? before : sum;
        target = made == layers ? 0 : (total - last) / (layers - made + 1);
      }
      sum += slices[s];
    }
    for (; made < layers; made++) {
      cuts[made] = slices.length;
    }
    return cuts;
  }

  private static int layer(long[] cuts, long slice) {
    int low = 0;
    int high = cuts.length - 2;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (cuts[middle] <= slice) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Rows that move in an iteration: partial ones to their owners and new ones back. */
  long rows(CooBlock entries, TensorShape shape) {
    int processes = Arrays.stream(grid).reduce(1, (a, b) -> a * b);
    long moved = 0;
    for (int mode = 0; mode < grid.length; mode++) {
      int rows = Math.toIntExact(shape.size(mode));
      BitSet[] touched = new BitSet[processes];
      BitSet any = new BitSet(rows);
      long pairs = 0;
      for (int e = 0; e < entries.size(); e++) {
        int process = 0;
        for (int m = 0; m < grid.length; m++) {
          process = process * grid[m] + layer(cuts[m], entries.coordinate(m, e));
        }
        int row = (int) entries.coordinate(mode, e);
        if (touched[process] == null) {
          touched[process] = new BitSet(rows);
        }
        if (!touched[process].get(row)) {
          touched[process].set(row);
          pairs++;
        }
        any.set(row);
      }
      // A row is owned by one of those that touch it.
      moved += 2 * (pairs - any.cardinality());
    }
    return moved;
  }
}
