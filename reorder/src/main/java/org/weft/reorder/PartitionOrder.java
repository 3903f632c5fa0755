package org.weft.reorder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/**
 * Orders mode 0 so that contiguous partitions of equal entries share few rows of the other modes'
 * operands, and the other modes by the partition that reads a row most: the hypergraph partitioning
 * model of Kaya and Ucar (SC 2015) with slices of mode 0 as vertices and slices of the other modes
 * as nets, its connectivity minus one being the rows fetched more than once.
 *
 * <p>The partition starts from the given order, and again from maximum cardinality order, cut into
 * parts of equal entries, the better end counting, and is refined by passes in which a slice moves
 * to the part that lowers the number of fetched rows most (Fiduccia and Mattheyses 1982, without
 * their bucket structure) while no part outgrows the mean by more than 3 %. Cost {@code O(order
 * entries parts)} a pass; memory 4 bytes per part and coordinate of the other modes.
 */
final class PartitionOrder implements Reorderer {
  static final int PARTS = 8;
  private static final int MOST_PARTS = 256;
  private static final int PASSES = 8;
  private static final double IMBALANCE = 1.03;
  private static final long WHO_MASK = (1L << 22) - 1;

  private final int parts;

  PartitionOrder(long parts) {
    if (parts < 1 || parts > MOST_PARTS) {
      throw new WeftException(
          ErrorCode.USAGE,
          "partition: expected 1 to " + MOST_PARTS + " partitions, found " + parts);
    }
    this.parts = (int) parts;
  }

  @Override
  public String name() {
    return "partition:" + parts;
  }

  @Override
  public List<Permutation> reorder(TensorShape shape, List<CooBlock> blocks) {
    EntryTable table = new EntryTable(shape, blocks);
    Refinement best = new Refinement(table, parts, Permutation.identity(shape.size(0)));
    best.run();
    Refinement other =
        new Refinement(table, parts, new CardinalityOrder().reorder(shape, blocks).get(0));
    other.run();
    best = other.rowsFetched() < best.rowsFetched() ? other : best;
    List<Permutation> permutations = new ArrayList<>();
    permutations.add(byPart(best.part, best.start));
    for (int m = 1; m < table.order(); m++) {
      permutations.add(byPart(best.mainReaders(m), best.byReaders(m)));
    }
    return permutations;
  }

  /** Sorted by part, then by the label that {@code within} gives. */
  private static Permutation byPart(int[] part, Permutation within) {
    long[] keys = new long[part.length];
    int[] at = new int[part.length];
    for (int c = 0; c < part.length; c++) {
      int label = (int) within.apply(c);
      keys[c] = (long) part[c] << 32 | label;
      at[label] = c;
    }
    Arrays.sort(keys);
    int[] order = new int[keys.length];
    for (int i = 0; i < keys.length; i++) {
      order[i] = at[(int) keys[i]];
    }
    return Permutation.ofOrder(order);
  }

  /** Slices of mode 0 on their way to a good part. */
  private static final class Refinement {
    private final EntryTable table;
    private final Slices[] slices;
    private final int parts;
    private final int[] part;
    private final int[][] readers; // per other mode: entries of slice c in part p at c * parts + p
    private final long[] weight;
    private final long limit;
    private final Permutation start;

    Refinement(EntryTable table, int parts, Permutation start) {
      this.start = start;
      this.table = table;
      this.parts = parts;
      slices = Slices.ofEveryMode(table);
      part = new int[table.modeSize(0)];
      weight = new long[parts];
      readers = new int[table.order()][];
      for (int m = 1; m < readers.length; m++) {
        if ((long) table.modeSize(m) * parts > Integer.MAX_VALUE - 8) {
          throw new WeftException(
              ErrorCode.UNSUPPORTED_OPERATION,
              "expected less than 2^31 pairs of partition and row, found "
                  + Counts.plain(parts, "partition")
                  + " of the "
                  + Counts.plain(table.modeSize(m), "row")
                  + " of mode "
                  + m
                  + "; ask for fewer partitions");
        }
        readers[m] = new int[table.modeSize(m) * parts];
      }
      limit = (long) Math.ceil(table.size() / (double) parts * IMBALANCE);
      cut(start.inverse());
    }

    /** Parts of equal entries, in the given order. */
    private void cut(Permutation order) {
      long before = 0;
      for (int at = 0; at < part.length; at++) {
        int slice = (int) order.apply(at);
        int degree = slices[0].degree(slice);
        long middle = before + degree / 2;
        int p = table.size() == 0 ? 0 : (int) Math.min(parts - 1L, middle * parts / table.size());
        part[slice] = p;
        weight[p] += degree;
        before += degree;
        move(slice, p, 1);
      }
    }

    private void move(int slice, int to, int sign) {
      for (int at = slices[0].begin(slice); at < slices[0].end(slice); at++) {
        int entry = slices[0].entry(at);
        for (int m = 1; m < table.order(); m++) {
          readers[m][table.column(m)[entry] * parts + to] += sign;
        }
      }
    }

    void run() {
      for (int pass = 0; pass < PASSES && parts > 1; pass++) {
        int moved = 0;
        for (int slice = 0; slice < part.length; slice++) {
          moved += improve(slice) ? 1 : 0;
        }
        if (moved == 0) {
          return;
        }
      }
    }

    private boolean improve(int slice) {
      int degree = slices[0].degree(slice);
      if (degree == 0) {
        return false;
      }
      int own = part[slice];
      move(slice, own, -1);
      long[] present = new long[parts]; // rows of the slice that a part reads already
      for (int at = slices[0].begin(slice); at < slices[0].end(slice); at++) {
        int entry = slices[0].entry(at);
        for (int m = 1; m < table.order(); m++) {
          int row = table.column(m)[entry] * parts;
          for (int p = 0; p < parts; p++) {
            present[p] += readers[m][row + p] > 0 ? 1 : 0;
          }
        }
      }
      int best = own;
      for (int p = 0; p < parts; p++) {
        boolean fits = p == own || weight[p] + degree <= limit;
        if (fits && present[p] > present[best]) {
          best = p;
        }
      }
      move(slice, best, 1);
      weight[own] -= degree;
      weight[best] += degree;
      part[slice] = best;
      return best != own;
    }

    /** Pairs of a row and a part that reads it. */
    long rowsFetched() {
      long pairs = 0;
      for (int m = 1; m < readers.length; m++) {
        for (int entries : readers[m]) {
          pairs += entries > 0 ? 1 : 0;
        }
      }
      return pairs;
    }

    /** Rows of one reader first, and rows with the same readers together: they travel as blocks. */
    Permutation byReaders(int mode) {
      long[] keys = new long[table.modeSize(mode)]; // number of readers, who they are, row
      for (int c = 0; c < keys.length; c++) {
        long count = 0;
        long who = 0;
        for (int p = 0; p < parts; p++) {
          if (readers[mode][c * parts + p] > 0) {
            count++;
            who = who * 31 + p + 1;
          }
        }
        keys[c] = count << 53 | (who & WHO_MASK) << 31 | c;
      }
      Arrays.sort(keys);
      int[] order = new int[keys.length];
      for (int i = 0; i < order.length; i++) {
        order[i] = (int) (keys[i] & Integer.MAX_VALUE);
      }
      return Permutation.ofOrder(order);
    }

    /** For each slice of a mode, the part that has most of its entries. */
    int[] mainReaders(int mode) {
      int[] main = new int[table.modeSize(mode)];
      for (int c = 0; c < main.length; c++) {
        for (int p = 1; p < parts; p++) {
          if (readers[mode][c * parts + p] > readers[mode][c * parts + main[c]]) {
            main[c] = p;
          }
        }
      }
      return main;
    }
  }
}
