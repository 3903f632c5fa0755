package org.weft.planner.partition;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.weft.statistics.ModeHistogram;
import org.weft.tensor.CooBlock;

/**
 * The partitions of one mode: partition p holds the entries of {@code ranges().get(p)}. Immutable;
 * the ranges obey the contract of {@link Partitioner}. The pieces of a split range are shares by a
 * hash, or the tiles of a grid.
 */
public final class ModePartitioning implements Serializable {
  private static final long serialVersionUID = 1L;

  private final int mode;
  private final long modeSize;
  private final ArrayList<SliceRange> ranges;
  private final boolean split;
  private final @Nullable Grid grid;
  private final long[] firstRows; // by partition

  // Distinct ranges, in order: first partition, pieces.
  private final SliceIndex groups;
  private final int[] partition;
  private final int[] pieces;

  public ModePartitioning(int mode, long modeSize, List<SliceRange> ranges) {
    this(mode, modeSize, ranges, null);
  }

  /**
   * Partitions of which pieces of a range are tiles.
   *
   * @param grid that has the tiles; null for shares by a hash
   */
  ModePartitioning(int mode, long modeSize, List<SliceRange> ranges, @Nullable Grid grid) {
    this(
        mode,
        modeSize,
        ranges,
        grid,
        ranges.stream().mapToLong(ModePartitioning::firstRow).toArray());
  }

  /** The first row of a piece's share, {@code from + slices piece / pieces}, of any length. */
  private static long firstRow(SliceRange range) {
    long each = range.slices() / range.pieces();
    long more = range.slices() % range.pieces();
    return range.from() + each * range.piece() + more * range.piece() / range.pieces();
  }

  private ModePartitioning(
      int mode, long modeSize, List<SliceRange> ranges, @Nullable Grid grid, long[] firstRows) {
    this.grid = grid;
    this.firstRows = firstRows;
    this.mode = mode;
    this.modeSize = modeSize;
    this.ranges = new ArrayList<>(ranges);
    int distinct = (int) this.ranges.stream().filter(r -> r.piece() == 0).count();
    long[] starts = new long[distinct];
    partition = new int[distinct];
    pieces = new int[distinct];
    long covered = 0;
    boolean anySplit = false;
    for (int p = 0, g = 0; p < this.ranges.size(); g++) {
      SliceRange range = this.ranges.get(p);
      requireNext(range, covered);
      starts[g] = range.from();
      partition[g] = p;
      pieces[g] = range.pieces();
      anySplit |= range.pieces() > 1;
      for (int piece = 0; piece < range.pieces(); piece++, p++) {
        SliceRange expected = new SliceRange(range.from(), range.to(), piece, range.pieces());
        if (p >= this.ranges.size() || !this.ranges.get(p).equals(expected)) {
          throw new IllegalArgumentException("expected " + expected + " as partition " + p);
        }
      }
      covered = range.to();
    }
    if (distinct == 0 || covered != modeSize) {
      throw new IllegalArgumentException(
          "ranges end at slice " + covered + " of " + modeSize + "; they must cover the mode");
    }
    split = anySplit;
    groups = new SliceIndex(starts, modeSize);
  }

  /**
   * The same with ranges of at most {@code most} slices each, but for those that are split already:
   * longer ones become ranges of about equal length, whatever entries they have.
   */
  public ModePartitioning withSlicesUpTo(long most) {
    List<SliceRange> shorter = new ArrayList<>();
    for (SliceRange range : ranges) {
      long count = range.pieces() > 1 ? 1 : Math.max(0, range.slices() - 1) / most + 1;
      long length = Math.max(0, range.slices() - 1) / count + 1; // no sum is beyond the mode's size
      for (long n = 0; count > 1 && n < count; n++) {
        long from = range.from() + n * length;
        shorter.add(new SliceRange(from, from + Math.min(length, range.to() - from), 0, 1));
      }
      if (count == 1) {
        shorter.add(range);
      }
    }
    return shorter.size() == ranges.size() ? this : new ModePartitioning(mode, modeSize, shorter);
  }

  /** The mode that is cut. */
  public int mode() {
    return mode;
  }

  /** Slices of the mode. */
  public long modeSize() {
    return modeSize;
  }

  public int partitions() {
    return ranges.size();
  }

  /** One range per partition, ascending; pieces of one range are consecutive. */
  public List<SliceRange> ranges() {
    return Collections.unmodifiableList(ranges);
  }

  /** The grid whose tiles the partitions are; null for ranges of this mode alone. */
  public @Nullable Grid grid() {
    return grid;
  }

  /**
   * The first of the rows that a partition has of those of its range: those up to the first of the
   * next partition. What other pieces of the range make of them is added up there.
   */
  public long firstRow(int partition) {
    return firstRows[partition];
  }

  /** The same partitions with other shares of the rows of their ranges. */
  public ModePartitioning withFirstRows(long[] rows) {
    return new ModePartitioning(mode, modeSize, ranges, grid, rows.clone());
  }

  /** Partitions of near places belong together, those of other modes' partitionings included. */
  public int place(int partition) {
    return grid == null ? partition : grid.tile(mode, partition);
  }

  /** Whether any range is split. */
  public boolean anyOverlapping() {
    return split;
  }

  /**
   * The partition of an entry. Cost {@code O(1)} for ranges that are not absurdly uneven. The hash
   * of the other coordinates decides among the pieces of a split range; where {@link
   * #anyOverlapping()} is false pass anything. In a grid the range is right, and not the piece.
   *
   * @throws IndexOutOfBoundsException when the coordinate is outside the mode
   */
  public int partitionOf(long coordinate, long hashOfOtherCoordinates) {
    groups.requireWithin(mode, coordinate);
    int g = groups.rangeOf(coordinate);
    return pieces[g] == 1 ? partition[g] : pieceOf(g, hashOfOtherCoordinates);
  }

  private int pieceOf(int group, long hash) {
    return partition[group] + (int) (((hash >>> 32) * pieces[group]) >>> 32);
  }

  /**
   * The partition of every entry of a block, into {@code into[0..size)}; computes hashes where a
   * range is split. Cost {@code O(size)}, times the order where a range is split.
   */
  public void partitionsOf(CooBlock block, int[] into) {
    int size = block.size();
    if (grid != null) {
      grid.partitions(mode, block, into);
      return;
    }
    groups.rangesOf(block, mode, into);
    for (int e = 0; split && e < size; e++) {
      int g = into[e];
      into[e] = pieces[g] == 1 ? partition[g] : pieceOf(g, hash(block, e));
    }
  }

  /** The hash of the coordinates in the other modes, which are folded in ascending order. */
  private long hash(CooBlock block, int entry) {
    long hash = hashSeed();
    for (int m = 0; m < block.order(); m++) {
      if (m != mode) {
        hash = hashFold(hash, block.coordinate(m, entry));
      }
    }
    return hash;
  }

  /** The hash of no coordinates. */
  public static long hashSeed() {
    return 0x9E3779B97F4A7C15L;
  }

  /** The hash after one more coordinate: SplitMix64's finaliser (Steele et al. 2014). */
  public static long hashFold(long hash, long coordinate) {
    long z = hash + (coordinate + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /**
   * Entries that each partition will hold if the hash shares split ranges evenly, or if modes do
   * not depend on one another.
   */
  public double[] expectedEntries(ModeHistogram histogram) {
    double[] entries = new double[ranges.size()];
    if (grid != null) {
      Arrays.setAll(entries, p -> histogram.total() * grid.share(mode, p));
      return entries;
    }
    for (int p = 0; p < entries.length; p++) {
      SliceRange range = ranges.get(p);
      entries[p] =
          range.piece() > 0
              ? entries[p - 1]
              : histogram.countBetween(range.from(), range.to()) / range.pieces();
    }
    return entries;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ModePartitioning that
        && mode == that.mode
        && modeSize == that.modeSize
        && Objects.equals(grid, that.grid)
        && Arrays.equals(firstRows, that.firstRows)
        && ranges.equals(that.ranges);
  }

  @Override
  public int hashCode() {
    return 31 * ranges.hashCode() + mode;
  }

  @Override
  public String toString() {
    return "mode " + mode + " in " + ranges.size() + " partitions " + ranges;
  }

  private static void requireNext(SliceRange range, long covered) {
    if (range.from() != covered || range.piece() != 0) {
      throw new IllegalArgumentException(
          "expected a range from slice " + covered + ", found " + range);
    }
  }
}
