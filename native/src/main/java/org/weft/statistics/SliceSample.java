package org.weft.statistics;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.CooBlock;

/**
 * Some slices of a mode, and in which slices of each other mode their entries lie. Histograms say
 * nothing of that: in real tensors the entries of a slice lie together.
 *
 * <p>Slices are drawn by a hash of their coordinate: those whose hash begins with enough zeros, so
 * that no more than a few hundred remain (Wegman's adaptive sampling, in Flajolet, Computing 43,
 * 1990). Slices of other modes are known in blocks of a power-of-two number, {@value #MOST_BLOCKS}
 * at most. Samples of parts merge to the sample of the whole, and depend on the coordinates of the
 * entries alone. Memory: 64 bytes for a slice and another mode, in all at most 96 KiB for three
 * modes and 192 KiB for more.
 */
public final class SliceSample implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Blocks of another mode at most. */
  static final int MOST_BLOCKS = 512;

  private static final int WORDS = MOST_BLOCKS / Long.SIZE;
  private static final int MOST_SLICES = 256;
  private static final int MOST_ROWS_OF_BLOCKS = 3072; // in the samples of all modes

  /** Modes of the tensors that have samples; with more, samples would not be small. */
  static final int MOST_MODES = 32;

  private final int mode;
  private final int order;
  private final int most;
  private final int[] shifts; // by mode: a block is 2^shift slices
  private final long[] keys; // coordinate + 1 of a slice; 0 without one
  private final long[][] blocks; // of each key: bits of the blocks of all modes but this one
  private int size;
  private int level; // zeros that hashes begin with

  private SliceSample(int mode, int order) {
    this.mode = mode;
    this.order = order;
    most = most(order);
    shifts = new int[order];
    keys = new long[4 * most];
    blocks = new long[4 * most][];
  }

  /**
   * Empty samples of a part of the tensor whose entries so far have these samples. Slices that the
   * sample of the tensor cannot have any more are not drawn, and blocks are as wide.
   */
  static ArrayList<SliceSample> ofPart(List<SliceSample> samples) {
    ArrayList<SliceSample> part = ofModes(samples.size());
    for (int mode = 0; mode < part.size(); mode++) {
      part.get(mode).level = samples.get(mode).level;
      System.arraycopy(samples.get(mode).shifts, 0, part.get(mode).shifts, 0, part.size());
    }
    return part;
  }

  /** A sample for each mode of a tensor; none of a tensor of too many modes. */
  static ArrayList<SliceSample> ofModes(int order) {
    ArrayList<SliceSample> samples = new ArrayList<>();
    for (int mode = 0; mode < order && order <= MOST_MODES; mode++) {
      samples.add(new SliceSample(mode, order));
    }
    return samples;
  }

  /** The samples of parts together; none if one part has none. Those of the first part change. */
  static ArrayList<SliceSample> merged(
      List<SliceSample> into, List<SliceSample> others, List<ModeHistogram> counts) {
    ArrayList<SliceSample> merged = new ArrayList<>();
    for (int m = 0; m < Math.min(into.size(), others.size()); m++) {
      merged.add(into.get(m).merge(others.get(m), counts));
    }
    return merged;
  }

  /**
   * A sample from its numbers.
   *
   * @param level as {@link #level} said
   * @param numbers as {@link #numbers} gave them
   * @param counts entries by slice of all modes
   * @throws IllegalArgumentException if no entries that are counted so have such a sample
   */
  public static SliceSample of(int mode, int level, long[] numbers, List<ModeHistogram> counts) {
    SliceSample sample = new SliceSample(mode, counts.size());
    requireCount(counts.size(), numbers.length);
    require(level >= 0 && level <= Long.SIZE, "a level of 0 to 64");
    int words = words(counts.size());
    sample.coarsen(counts);
    sample.level = level;
    List<BitSet> occupied =
        IntStream.range(0, counts.size())
            .mapToObj(other -> counts.get(other).occupiedBlocks(sample.shifts[other]))
            .toList();
    long before = -1;
    for (int at = 0; at < numbers.length; at += words) {
      long slice = numbers[at];
      require(slice > before, "slices in ascending order");
      require(counts.get(mode).countBetween(slice, slice + 1) > 0, "slices with entries");
      require(sample.isDrawn(slice), "slices of level " + level);
      before = slice;
      int slot = sample.slot(slice);
      sample.keys[slot] = slice + 1;
      sample.blocks[slot] = Arrays.copyOfRange(numbers, at + 1, at + words);
      sample.size++;
      for (int other = 0; other < counts.size(); other++) {
        if (other != mode) {
          BitSet blocks = sample.bits(sample.blocks[slot], other);
          boolean some = !blocks.isEmpty();
          blocks.andNot(occupied.get(other));
          require(some && blocks.isEmpty(), "blocks with entries");
        }
      }
    }
    require(level > 0 || sample.size >= counts.get(mode).occupiedBuckets(), "all slices");
    return sample;
  }

  /**
   * Checks how many numbers a sample has.
   *
   * @throws IllegalArgumentException if there is no such sample of a tensor of {@code order} modes
   */
  public static void requireCount(int order, long numbers) {
    require(order <= MOST_MODES, "at most " + MOST_MODES + " modes with samples");
    require(numbers % words(order) == 0, "whole slices");
    require(numbers / words(order) <= most(order), "at most " + most(order) + " slices");
  }

  private static int words(int order) {
    return 1 + (order - 1) * WORDS;
  }

  private static int most(int order) {
    int pairs = order * Math.max(1, order - 1);
    return Math.max(8, Math.min(MOST_SLICES, Integer.highestOneBit(MOST_ROWS_OF_BLOCKS / pairs)));
  }

  private static void require(boolean holds, String expected) {
    if (!holds) {
      throw new IllegalArgumentException("expected " + expected);
    }
  }

  /** Zeros that the hash of a slice begins with if the slice is drawn. */
  public int level() {
    return level;
  }

  /** Of each slice in ascending order: its coordinate, and the bits of blocks by other mode. */
  public long[] numbers() {
    return Arrays.stream(slices())
        .flatMap(slice -> LongStream.concat(LongStream.of(slice), bitsOf(slice)))
        .toArray();
  }

  private LongStream bitsOf(long slice) {
    return Arrays.stream(blocks[slot(slice)]);
  }

  /**
   * Takes the entries of a block.
   *
   * @param counts of all entries so far, those of the block included
   */
  void add(CooBlock block, List<ModeHistogram> counts) {
    coarsen(counts);
    boolean wide = block.isWide(mode);
    int[] narrow = wide ? new int[0] : block.intColumn(mode);
    long[] column = wide ? block.longColumn(mode) : new long[0];
    long last = -1;
    long prefix = prefix();
    long @Nullable [] row = null;
    for (int e = 0, n = block.size(); e < n; e++) {
      long slice = wide ? column[e] : narrow[e];
      if (slice != last) { // entries are often sorted
        last = slice;
        row = null;
        if ((hash(slice) & prefix) == 0) {
          row = row(slice);
          prefix = prefix();
        }
      }
      if (row != null) {
        for (int other = 0; other < order; other++) {
          if (other != mode) {
            int bit = (int) (block.coordinate(other, e) >>> shifts[other]);
            row[first(other) + bit / Long.SIZE] |= 1L << bit;
          }
        }
      }
    }
  }

  private SliceSample merge(SliceSample other, List<ModeHistogram> counts) {
    coarsen(counts);
    while (level < other.level) {
      raise();
    }
    for (int slot = 0; slot < other.keys.length; slot++) {
      long slice = other.keys[slot] - 1;
      if (slice >= 0 && isDrawn(slice)) {
        long @Nullable [] row = row(slice);
        if (row != null) {
          long[] bits = other.blocks[slot].clone();
          other.coarsen(bits, shifts);
          for (int word = 0; word < bits.length; word++) {
            row[word] |= bits[word];
          }
        }
      }
    }
    return this;
  }

  private boolean isDrawn(long slice) {
    return (hash(slice) & prefix()) == 0;
  }

  private long prefix() {
    return level == 0 ? 0 : -1L << (Long.SIZE - level);
  }

  /** Numbers that follow one another are spread evenly (Knuth, volume 3, 6.4). */
  private static long hash(long slice) {
    return (slice + 1) * 0x9E3779B97F4A7C15L;
  }

  /** The blocks of a slice that is drawn; null if too many are. */
  private long @Nullable [] row(long slice) {
    int slot = slot(slice);
    if (keys[slot] == 0) {
      keys[slot] = slice + 1;
      blocks[slot] = new long[(order - 1) * WORDS];
      size++;
      while (size > most) {
        raise();
      }
      slot = slot(slice);
    }
    return keys[slot] == 0 ? null : blocks[slot];
  }

  private int slot(long slice) {
    int slot = (int) ((slice * 0xD6E8FEB86659FD93L) >>> 32) & (keys.length - 1);
    while (keys[slot] != 0 && keys[slot] != slice + 1) {
      slot = (slot + 1) & (keys.length - 1);
    }
    return slot;
  }

  /** Draws about half of the slices. */
  private void raise() {
    level++;
    long[] before = keys.clone();
    long[][] rows = blocks.clone();
    Arrays.fill(keys, 0);
    Arrays.fill(blocks, null);
    size = 0;
    for (int slot = 0; slot < before.length; slot++) {
      long slice = before[slot] - 1;
      if (slice >= 0 && isDrawn(slice)) {
        int to = slot(slice);
        keys[to] = before[slot];
        blocks[to] = rows[slot];
        size++;
      }
    }
  }

  /** Makes blocks as wide as the largest coordinates of all entries ask for. */
  private void coarsen(List<ModeHistogram> counts) {
    int[] wanted = shifts.clone();
    for (int other = 0; other < order; other++) {
      long largest = Math.max(0, counts.get(other).largestCoordinate());
      while ((largest >>> wanted[other]) >= MOST_BLOCKS) {
        wanted[other]++;
      }
    }
    if (!Arrays.equals(wanted, shifts)) {
      for (long[] row : blocks) {
        if (row != null) {
          coarsen(row, wanted);
        }
      }
      System.arraycopy(wanted, 0, shifts, 0, order);
    }
  }

  /** Changes the blocks of a slice from those of this sample to wider ones. */
  private void coarsen(long[] row, int[] wanted) {
    for (int other = 0; other < order; other++) {
      int down = wanted[other] - shifts[other];
      if (other != mode && down > 0) {
        BitSet from = bits(row, other);
        Arrays.fill(row, first(other), first(other) + WORDS, 0);
        for (int bit = from.nextSetBit(0); bit >= 0; bit = from.nextSetBit(bit + 1)) {
          int to = down < Integer.SIZE ? bit >>> down : 0;
          row[first(other) + to / Long.SIZE] |= 1L << to;
        }
      }
    }
  }

  private BitSet bits(long[] row, int other) {
    return BitSet.valueOf(Arrays.copyOfRange(row, first(other), first(other) + WORDS));
  }

  private int first(int other) {
    return (other < mode ? other : other - 1) * WORDS;
  }

  /** The coordinates of the slices that were drawn, ascending; each of them has an entry. */
  public long[] slices() {
    return Arrays.stream(keys).filter(key -> key > 0).map(key -> key - 1).sorted().toArray();
  }

  /** Whether every slice with an entry was drawn. */
  public boolean isWhole() {
    return level == 0;
  }

  /** Slices of another mode that are a block. */
  public long blockWidth(int other) {
    return 1L << shifts[other];
  }

  /** The blocks of another mode that entries of a drawn slice lie in. */
  public BitSet blocks(long slice, int other) {
    if (other == mode) {
      throw new IllegalArgumentException("a slice of mode " + mode + " lies in no others of it");
    }
    return bits(blocks[slot(slice)], other);
  }

  @Override
  public boolean equals(Object object) {
    return object instanceof SliceSample that
        && mode == that.mode
        && level == that.level
        && Arrays.equals(shifts, that.shifts)
        && Arrays.equals(slices(), that.slices())
        && Arrays.stream(slices())
            .allMatch(slice -> Arrays.equals(blocks[slot(slice)], that.blocks[that.slot(slice)]));
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(slices()) + mode;
  }

  @Override
  public String toString() {
    int[] others = IntStream.range(0, order).filter(other -> other != mode).toArray();
    return "SliceSample["
        + size
        + " slices of mode "
        + mode
        + " beside "
        + Arrays.toString(others)
        + "]";
  }
}
