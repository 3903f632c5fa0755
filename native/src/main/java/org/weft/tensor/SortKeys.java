package org.weft.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.tensor.level.SortedEntries;

/**
 * The level coordinates of entries, concatenated in level order into as few 64-bit words as hold
 * them (one for most real tensors), with the values beside them. Sorting is a stable
 * least-significant digit radix sort over the bits in use, skipped when the entries come sorted:
 * {@code O(n bits / 11)}, with one copy of keys and values as scratch.
 */
final class SortKeys implements SortedEntries {
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;

  private final int[] wordOf;
  private final int[] shiftOf;
  private final long[] maskOf;
  private final int[] wordBits;
  private long[][] words;

  /** Bits of the values: those of long values where {@code exact}, else those of doubles. */
  private long[] values;

  private boolean exact;
  private int size;

  /** The blocks in which the values are as long as entries are where they were read. */
  private List<CooBlock> unmoved = List.of();

  private SortKeys(int[] wordOf, int[] shiftOf, long[] maskOf, int[] wordBits, int size) {
    this.wordOf = wordOf;
    this.shiftOf = shiftOf;
    this.maskOf = maskOf;
    this.wordBits = wordBits;
    this.words = new long[wordBits.length][size];
    this.values = new long[0];
    this.size = size;
  }

  /**
   * Reads all entries; coordinates are checked against the shape.
   *
   * @param rootOffset subtracted from the coordinates of the first stored mode
   * @param slots the slot of every entry, where the format has slots
   */
  static SortKeys of(
      TensorShape shape, TensorFormat format, List<CooBlock> blocks, long rootOffset, int[] slots) {
    int total = 0;
    for (CooBlock block : blocks) {
      total = Math.addExact(total, block.size());
    }
    SortKeys keys = layout(shape, format, total, slots);
    int at = 0;
    for (CooBlock block : blocks) {
      for (int level = 0; level < format.levelCount(); level++) {
        LevelCoordinate coordinate = format.coordinate(level);
        if (coordinate instanceof LevelCoordinate.Slot) {
          for (int e = at; e < at + block.size(); e++) {
            keys.put(level, e, slots[e]);
          }
        } else if (coordinate instanceof LevelCoordinate.Diagonal) {
          keys.loadDiagonals(block, shape, format.modeOrder(), level, rootOffset, at);
        } else {
          int mode = format.modeOf(level);
          long offset = coordinate.storedMode() == 0 ? rootOffset : 0;
          keys.load(block, mode, level, coordinate, offset, shape.size(mode), at);
        }
      }
      at += block.size();
    }
    keys.exact = !blocks.isEmpty() && blocks.stream().allMatch(CooBlock::hasLongValues);
    keys.unmoved = blocks;
    if (!keys.isIncreasing()) {
      keys.gatherValues();
    }
    return keys;
  }

  /** Copies the values together, so that entries can move. */
  private void gatherValues() {
    values = new long[size];
    int at = 0;
    for (CooBlock block : unmoved) {
      loadValues(block, at);
      at += block.size();
    }
    unmoved = List.of();
  }

  /** Whether all entries are where they were read: in increasing order, none repeated. */
  private boolean areUnmoved() {
    return size > 0 && values.length == 0;
  }

  /** Stores the values of all entries, one after another. */
  void storeValues(NativeArray into) {
    if (!areUnmoved() || exact || into.type() != ElementType.F64) {
      for (int e = 0; e < size; e++) {
        if (exact) {
          into.setLong(e, longValue(e));
        } else {
          into.setDouble(e, value(e));
        }
      }
      return;
    }
    long at = into.address();
    for (CooBlock block : unmoved) {
      NativeMemory.copyFromArray(block.values(), 0, at, block.size());
      at += (long) block.size() * Double.BYTES;
    }
  }

  private void loadValues(CooBlock block, int at) {
    if (exact) {
      System.arraycopy(block.longValues(), 0, values, at, block.size());
      return;
    }
    double[] doubles = block.values();
    for (int e = 0; e < block.size(); e++) {
      values[at + e] = Double.doubleToRawLongBits(doubles[e]);
    }
  }

  private void put(int level, int entry, long coordinate) {
    words[wordOf[level]][entry] |= coordinate << shiftOf[level];
  }

  /** Assigns levels to words, the outermost level in the most significant bits of word 0. */
  private static SortKeys layout(TensorShape shape, TensorFormat format, int total, int[] slots) {
    int levels = format.levelCount();
    int[] bits = new int[levels];
    int[] wordOf = new int[levels];
    int word = 0;
    int used = 0;
    for (int level = 0; level < levels; level++) {
      long largest = largest(shape, format, level, slots);
      bits[level] = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(largest));
      if (used + bits[level] > Long.SIZE - 1) {
        word++;
        used = 0;
      }
      wordOf[level] = word;
      used += bits[level];
    }
    int[] wordBits = new int[word + 1];
    int[] shiftOf = new int[levels];
    long[] maskOf = new long[levels];
    for (int level = levels - 1; level >= 0; level--) {
      shiftOf[level] = wordBits[wordOf[level]];
      maskOf[level] = -1L >>> (Long.SIZE - bits[level]);
      wordBits[wordOf[level]] += bits[level];
    }
    return new SortKeys(wordOf, shiftOf, maskOf, wordBits, total);
  }

  private static long largest(TensorShape shape, TensorFormat format, int level, int[] slots) {
    LevelCoordinate coordinate = format.coordinate(level);
    if (coordinate instanceof LevelCoordinate.Slot) {
      return Arrays.stream(slots).max().orElse(0);
    } else if (coordinate instanceof LevelCoordinate.Diagonal) {
      int[] order = format.modeOrder();
      return Math.max(0, Math.addExact(shape.size(order[0]), shape.size(order[1])) - 2);
    }
    return Math.max(0, format.levelSize(shape, level) - 1);
  }

  private void load(
      CooBlock block,
      int mode,
      int level,
      LevelCoordinate part,
      long offset,
      long modeSize,
      int at) {
    long[] word = words[wordOf[level]];
    int shift = shiftOf[level];
    if (!block.isWide(mode) && part instanceof LevelCoordinate.Mode) {
      int[] column = block.intColumn(mode);
      long wrong = 0;
      for (int e = 0; e < block.size(); e++) {
        long coordinate = column[e] - offset;
        wrong |= coordinate | (modeSize - 1 - coordinate);
        word[at + e] |= coordinate << shift;
      }
      for (int e = 0; wrong < 0 && e < block.size(); e++) {
        long coordinate = column[e] - offset;
        if (coordinate < 0 || coordinate >= modeSize) {
          throw outOfRange(mode, column[e], modeSize, offset);
        }
      }
      return;
    }
    for (int e = 0; e < block.size(); e++) {
      long coordinate = block.coordinate(mode, e) - offset;
      if (coordinate < 0 || coordinate >= modeSize) {
        throw outOfRange(mode, block.coordinate(mode, e), modeSize, offset);
      }
      word[at + e] |= part(part, coordinate) << shift;
    }
  }

  private static long part(LevelCoordinate part, long coordinate) {
    if (part instanceof LevelCoordinate.Block block) {
      return coordinate / block.size();
    } else if (part instanceof LevelCoordinate.Within within) {
      return coordinate % within.size();
    }
    return coordinate;
  }

  /** Column minus row, counted from 0 for the diagonal of the last row. */
  private void loadDiagonals(
      CooBlock block, TensorShape shape, int[] order, int level, long rootOffset, int at) {
    long last = shape.size(order[0]) - 1;
    for (int e = 0; e < block.size(); e++) {
      long row = block.coordinate(order[0], e) - rootOffset;
      long column = block.coordinate(order[1], e);
      if (row >= 0 && row <= last && column >= 0 && column < shape.size(order[1])) {
        put(level, at + e, last - row + column);
      }
    }
  }

  private static WeftException outOfRange(int mode, long coordinate, long modeSize, long offset) {
    return new WeftException(
        ErrorCode.COORDINATE_OUT_OF_RANGE,
        "coordinate "
            + coordinate
            + " (counted from 0) of mode "
            + mode
            + " lies outside ["
            + offset
            + ", "
            + (offset + modeSize)
            + ")");
  }

  int size() {
    return size;
  }

  /** Whether values are long. */
  boolean isExact() {
    return exact;
  }

  double value(int entry) {
    if (areUnmoved()) {
      gatherValues();
    }
    return exact ? values[entry] : Double.longBitsToDouble(values[entry]);
  }

  long longValue(int entry) {
    if (areUnmoved()) {
      gatherValues();
    }
    return exact ? values[entry] : (long) Double.longBitsToDouble(values[entry]);
  }

  private long sum(long a, long b) {
    return exact
        ? a + b
        : Double.doubleToRawLongBits(Double.longBitsToDouble(a) + Double.longBitsToDouble(b));
  }

  @Override
  public long coordinate(int level, int entry) {
    return (words[wordOf[level]][entry] >>> shiftOf[level]) & maskOf[level];
  }

  @Override
  public int @Nullable [] runs(int level, int count) {
    if (count == size && level == shiftOf.length - 1) {
      return null; // duplicates are merged
    }
    int last = wordOf[level];
    long[] word = words[last];
    int shift = shiftOf[level];
    int[] starts = new int[count + 1];
    int runs = Math.min(1, count);
    for (int e = 1; e < count; e++) {
      starts[runs] = e;
      boolean differs = (word[e] ^ word[e - 1]) >>> shift != 0;
      for (int w = 0; w < last; w++) {
        differs |= words[w][e] != words[w][e - 1];
      }
      runs += differs ? 1 : 0;
    }
    starts[runs] = count;
    return runs == count ? null : Arrays.copyOf(starts, runs + 1);
  }

  @Override
  public void coordinates(int level, int @Nullable [] which, int count, NativeArray into) {
    if (into.type() != ElementType.U32) {
      SortedEntries.super.coordinates(level, which, count, into);
      return;
    }
    long[] word = words[wordOf[level]];
    int shift = shiftOf[level];
    int mask = (int) maskOf[level];
    long address = into.address();
    for (int i = 0; i < count; i++) {
      int coordinate = (int) (word[which == null ? i : which[i]] >>> shift) & mask;
      NativeMemory.putInt(address + (long) i * Integer.BYTES, coordinate);
    }
  }

  /** Whether every key is greater than the one before it. */
  private boolean isIncreasing() {
    if (words.length == 1) {
      long[] word = words[0];
      boolean increasing = true;
      for (int e = 1; e < size && increasing; e++) {
        increasing = word[e - 1] < word[e];
      }
      return increasing;
    }
    for (int e = 1; e < size; e++) {
      if (compare(e - 1, e) >= 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether the keys never decrease. */
  boolean isSorted() {
    for (int e = 1; e < size; e++) {
      if (compare(e - 1, e) > 0) {
        return false;
      }
    }
    return true;
  }

  private int compare(int a, int b) {
    for (long[] word : words) {
      int order = Long.compare(word[a], word[b]);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  void sort() {
    if (areUnmoved() || isSorted()) {
      return;
    }
    long[][] otherWords = new long[words.length][size];
    long[] otherValues = new long[size];
    for (int word = words.length - 1; word >= 0; word--) {
      for (int shift = 0; shift < wordBits[word]; shift += DIGIT_BITS) {
        if (words.length == 1) {
          if (!scatterOne(shift, otherWords[0], otherValues)) {
            continue;
          }
        } else if (!scatter(word, shift, otherWords, otherValues)) {
          continue;
        }
        long[][] sortedWords = otherWords;
        otherWords = words;
        words = sortedWords;
        long[] sortedValues = otherValues;
        otherValues = values;
        values = sortedValues;
      }
    }
  }

  /** Bucket starts of one digit, or null when a single bucket holds everything. */
  private int[] starts(long[] word, int shift) {
    int[] starts = new int[DIGITS];
    for (int e = 0; e < size; e++) {
      starts[(int) (word[e] >>> shift) & (DIGITS - 1)]++;
    }
    int sum = 0;
    for (int d = 0; d < DIGITS; d++) {
      int count = starts[d];
      if (count == size) {
        return new int[0];
      }
      starts[d] = sum;
      sum += count;
    }
    return starts;
  }

  private boolean scatterOne(int shift, long[] toWord, long[] toValues) {
    long[] word = words[0];
    int[] next = starts(word, shift);
    if (next.length == 0) {
      return false;
    }
    long[] from = values;
    for (int e = 0; e < size; e++) {
      long key = word[e];
      int to = next[(int) (key >>> shift) & (DIGITS - 1)]++;
      toWord[to] = key;
      toValues[to] = from[e];
    }
    return true;
  }

  private boolean scatter(int digitWord, int shift, long[][] toWords, long[] toValues) {
    long[] word = words[digitWord];
    int[] next = starts(word, shift);
    if (next.length == 0) {
      return false;
    }
    for (int e = 0; e < size; e++) {
      int to = next[(int) (word[e] >>> shift) & (DIGITS - 1)]++;
      for (int w = 0; w < toWords.length; w++) {
        toWords[w][to] = words[w][e];
      }
      toValues[to] = values[e];
    }
    return true;
  }

  /** Sums the values of equal keys, in order of appearance; returns how many entries went away. */
  int mergeDuplicates() {
    if (areUnmoved()) {
      return 0;
    }
    int kept = 0;
    for (int e = 1; e < size; e++) {
      if (compare(kept, e) == 0) {
        values[kept] = sum(values[kept], values[e]);
      } else if (++kept != e) {
        for (long[] word : words) {
          word[kept] = word[e];
        }
        values[kept] = values[e];
      }
    }
    int before = size;
    size = Math.min(size, kept + 1);
    return before - size;
  }
}
