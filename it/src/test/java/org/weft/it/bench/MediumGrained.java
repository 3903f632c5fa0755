package org.weft.it.bench;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.weft.planner.partition.Grid;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * The medium-grained decomposition of a tensor (Smith and Karypis, IPDPS 2016): a grid of
 * processes, each with the entries of one layer of every mode. Grid and layers are chosen as SPLATT
 * does. A process sends a partial row for every row of a layer that it touches and does not own,
 * and gets the row back.
 */
final class MediumGrained {
  private final Grid grid;

  private MediumGrained(Grid grid) {
    this.grid = grid;
  }

  static MediumGrained of(CooBlock entries, TensorShape shape, int processes) {
    TensorStatistics statistics = TensorStatistics.builder(shape.order()).add(entries).build(shape);
    List<ModeHistogram> histograms =
        IntStream.range(0, shape.order()).mapToObj(statistics::histogram).toList();
    return new MediumGrained(Grid.of(shape.toArray(), histograms, grid(shape, processes)));
  }

  int[] grid() {
    return grid.layers();
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

  /** Rows that move in an iteration: partial ones to their owners and new ones back. */
  long rows(CooBlock entries, TensorShape shape) {
    long moved = 0;
    for (int mode = 0; mode < shape.order(); mode++) {
      int[] processes = new int[entries.size()];
      grid.along(mode).partitionsOf(entries, processes);
      int rows = Math.toIntExact(shape.size(mode));
      BitSet[] touched = new BitSet[grid.tiles()];
      BitSet any = new BitSet(rows);
      long pairs = 0;
      for (int e = 0; e < entries.size(); e++) {
        int process = processes[e];
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
