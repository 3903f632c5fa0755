package org.weft.tensor;

import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.level.SortedEntries;

/**
 * The coordinates of entries, concatenated in level order into as few 64-bit words as hold them
 * (one for most real tensors), with the values beside them. Sorting is a stable least-significant
 * digit radix sort over the bits in use, skipped when the entries come sorted: {@code O(n bits /
 * 11)}, with one copy of keys and values as scratch.
 */
final class SortKeys implements SortedEntries {
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;

  private final int[] wordOf;
  private final int[] shiftOf;
  private final long[] maskOf;
  private final int[] wordBits;
  private long[][] words;
  private double[] values;
  private int size;

  private SortKeys(int[] wordOf, int[] shiftOf, long[] maskOf, int[] wordBits, int size) {
    this.wordOf = wordOf;
    this.shiftOf = shiftOf;
    this.maskOf = maskOf;
    this.wordBits = wordBits;
    this.words = new long[wordBits.length][size];
    this.values = new double[size];
    this.size = size;
  }

  /** Reads all entries; coordinates are checked against the shape. */
  static SortKeys of(
      TensorShape shape, TensorFormat format, List<CooBlock> blocks, long rootOffset) {
    int order = format.order();
    int total = 0;
    for (CooBlock block : blocks) {
      total = Math.addExact(total, block.size());
    }
    SortKeys keys = layout(shape, format, total);
    for (int level = 0; level < order; level++) {
      long offset = level == 0 ? rootOffset : 0;
      int mode = format.modeOf(level);
      int at = 0;
      for (CooBlock block : blocks) {
        keys.load(block, mode, level, offset, shape.size(mode), at);
        at += block.size();
      }
    }
    int at = 0;
    for (CooBlock block : blocks) {
      System.arraycopy(block.values(), 0, keys.values, at, block.size());
      at += block.size();
    }
    return keys;
  }

  /** Assigns levels to words, the outermost level in the most significant bits of word 0. */
  private static SortKeys layout(TensorShape shape, TensorFormat format, int total) {
    int order = format.order();
    int[] bits = new int[order];
    int[] wordOf = new int[order];
    int word = 0;
    int used = 0;
    for (int level = 0; level < order; level++) {
      long largest = Math.max(0, shape.size(format.modeOf(level)) - 1);
      bits[level] = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(largest));
      if (used + bits[level] > Long.SIZE - 1) {
        word++;
        used = 0;
      }
      wordOf[level] = word;
      used += bits[level];
    }
    int[] wordBits = new int[word + 1];
    int[] shiftOf = new int[order];
    long[] maskOf = new long[order];
    for (int level = order - 1; level >= 0; level--) {
      shiftOf[level] = wordBits[wordOf[level]];
      maskOf[level] = -1L >>> (Long.SIZE - bits[level]);
      wordBits[wordOf[level]] += bits[level];
    }
    return new SortKeys(wordOf, shiftOf, maskOf, wordBits, total);
  }

  private void load(CooBlock block, int mode, int level, long offset, long modeSize, int at) {
    long[] word = words[wordOf[level]];
    int shift = shiftOf[level];
    if (!block.isWide(mode)) {
      int[] column = block.intColumn(mode);
      for (int e = 0; e < block.size(); e++) {
        long coordinate = column[e] - offset;
        if (coordinate < 0 || coordinate >= modeSize) {
          throw outOfRange(mode, column[e], modeSize, offset);
        }
        word[at + e] |= coordinate << shift;
      }
      return;
    }
    long[] column = block.longColumn(mode);
    for (int e = 0; e < block.size(); e++) {
      long coordinate = column[e] - offset;
      if (coordinate < 0 || coordinate >= modeSize) {
        throw outOfRange(mode, column[e], modeSize, offset);
      }
      word[at + e] |= coordinate << shift;
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

  double value(int entry) {
    return values[entry];
  }

  @Override
  public long coordinate(int level, int entry) {
    return (words[wordOf[level]][entry] >>> shiftOf[level]) & maskOf[level];
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
    if (isSorted()) {
      return;
    }
    long[][] otherWords = new long[words.length][size];
    double[] otherValues = new double[size];
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
        double[] sortedValues = otherValues;
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

  private boolean scatterOne(int shift, long[] toWord, double[] toValues) {
    long[] word = words[0];
    int[] next = starts(word, shift);
    if (next.length == 0) {
      return false;
    }
    double[] from = values;
    for (int e = 0; e < size; e++) {
      long key = word[e];
      int to = next[(int) (key >>> shift) & (DIGITS - 1)]++;
      toWord[to] = key;
      toValues[to] = from[e];
    }
    return true;
  }

  private boolean scatter(int digitWord, int shift, long[][] toWords, double[] toValues) {
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
    int kept = 0;
    for (int e = 1; e < size; e++) {
      if (compare(kept, e) == 0) {
        values[kept] += values[e];
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
