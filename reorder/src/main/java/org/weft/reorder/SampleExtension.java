package org.weft.reorder;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.weft.tensor.CooBlock;

/**
 * Extends an order that was found on a sample of a tensor to the coordinates that the sample lacks.
 * Every such coordinate goes where its neighbours are: to the mean of the relative positions that
 * the order gives to the other coordinates of its entries. Coordinates without ordered neighbours
 * come last, by label.
 *
 * <p>Entries are added in parts that merge, in whatever order: sums are of whole numbers, so that
 * the result depends on the entries alone. Cost {@code O(order)} per entry; memory 12 bytes per
 * coordinate. Not thread-safe.
 */
public final class SampleExtension {
  private static final int POSITION_BITS = 30;

  private final Start start;
  private final long[][] sums;
  private final int[][] counts;

  /**
   * The order of the sample.
   *
   * @param relabelling of all coordinates, those that the sample lacks anywhere
   * @param seen by mode, the coordinates of the sample
   */
  public record Start(Relabelling relabelling, List<BitSet> seen) implements Serializable {
    public Start {
      seen = new ArrayList<>(seen);
    }

    /** The order that was found for the entries of {@code sample}. */
    public static Start of(Relabelling relabelling, List<CooBlock> sample) {
      List<BitSet> seen = new ArrayList<>();
      for (int m = 0; m < relabelling.order(); m++) {
        BitSet coordinates = new BitSet();
        for (CooBlock block : sample) {
          for (int e = 0; e < block.size(); e++) {
            coordinates.set((int) block.coordinate(m, e));
          }
        }
        seen.add(coordinates);
      }
      return new Start(relabelling, seen);
    }
  }

  public SampleExtension(Start start) {
    this.start = start;
    int order = start.relabelling().order();
    sums = new long[order][];
    counts = new int[order][];
    for (int m = 0; m < order; m++) {
      int size = Math.toIntExact(start.relabelling().mode(m).size());
      sums[m] = new long[size];
      counts[m] = new int[size];
    }
  }

  /** Learns from entries of the whole tensor. */
  public SampleExtension add(CooBlock block) {
    int order = sums.length;
    long[] positions = new long[order];
    for (int e = 0; e < block.size(); e++) {
      long sum = 0;
      int known = 0;
      for (int m = 0; m < order; m++) {
        int c = (int) block.coordinate(m, e);
        positions[m] = start.seen().get(m).get(c) ? position(start, m, c) : -1;
        if (positions[m] >= 0) {
          sum += positions[m];
          known++;
        }
      }
      if (known == 0 || known == order) {
        continue;
      }
      for (int m = 0; m < order; m++) {
        if (positions[m] < 0) {
          int c = (int) block.coordinate(m, e);
          sums[m][c] += sum / known;
          counts[m][c]++;
        }
      }
    }
    return this;
  }

  private static long position(Start start, int mode, int coordinate) {
    Permutation permutation = start.relabelling().mode(mode);
    return (permutation.apply(coordinate) << POSITION_BITS) / permutation.size();
  }

  /** What the entries told, without the order: this is what travels. Shares memory. */
  public Learnt learnt() {
    return new Learnt(sums, counts);
  }

  /** The order of all coordinates. Cost {@code O(size log size)} per mode. */
  public Relabelling relabelling() {
    return learnt().relabelling(start);
  }

  /**
   * Sums of neighbours' positions, and how many there are, by mode and coordinate.
   *
   * @param sums of relative positions, as whole numbers
   * @param counts summands
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Learnt(long[][] sums, int[][] counts) implements Serializable {

    /** Adds {@code other} to this one; returns this. */
    public Learnt plus(Learnt other) {
      for (int m = 0; m < sums.length; m++) {
        for (int c = 0; c < sums[m].length; c++) {
          sums[m][c] += other.sums[m][c];
          counts[m][c] += other.counts[m][c];
        }
      }
      return this;
    }

    /** The order that extends {@code start}. */
    public Relabelling relabelling(Start start) {
      List<Permutation> modes = new ArrayList<>();
      for (int m = 0; m < sums.length; m++) {
        modes.add(mode(start, m));
      }
      return new Relabelling(modes);
    }

    private Permutation mode(Start start, int m) {
      int size = sums[m].length;
      long[] keys = new long[size]; // position above, the sample's label below
      Permutation found = start.relabelling().mode(m);
      int[] at = new int[size];
      for (int c = 0; c < size; c++) {
        int label = (int) found.apply(c);
        at[label] = c;
        long position = (1L << POSITION_BITS) + 1;
        if (start.seen().get(m).get(c)) {
          position = position(start, m, c);
        } else if (counts[m][c] > 0) {
          position = sums[m][c] / counts[m][c];
        }
        keys[c] = position << 32 | label;
      }
      Arrays.sort(keys);
      int[] order = new int[size];
      for (int i = 0; i < size; i++) {
        order[i] = at[(int) keys[i]];
      }
      return Permutation.ofOrder(order);
    }
  }
}
