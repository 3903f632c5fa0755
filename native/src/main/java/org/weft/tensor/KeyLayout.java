package org.weft.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where the coordinates of entries lie in key words: every mode has a field, some bits of one word,
 * the first mode in the most significant bits. Levels of all formats are bits of these fields, so
 * that one set of keys serves many forms. A block of a size that is no power of two is a part of
 * the field only if the mode is split so: block number above the offset in the block.
 */
final class KeyLayout {
  /** Some bits of a key. */
  record Bits(int word, int shift, int bits) {
    Bits {
      shift = bits == 0 ? 0 : shift;
    }

    long of(long word) {
      return bits == 0 ? 0 : (word >>> shift) & (-1L >>> (Long.SIZE - bits));
    }
  }

  /**
   * A coordinate in the bits of a key.
   *
   * @param factor size of the blocks that the bits are split by; 1 if they are the coordinate
   * @param low bits of the offset in a block
   */
  record Coordinate(Bits bits, long factor, int low) {
    long of(long word) {
      long field = bits.of(word);
      return low == 0 && factor == 1
          ? field
          : (field >>> low) * factor + (low == 0 ? 0 : field & (-1L >>> (Long.SIZE - low)));
    }
  }

  private final TensorShape shape;
  private final Bits[] fields;
  private final long[] factors;
  private final int[] lows;
  private final int words;

  /**
   * @param splits size of the blocks that each mode is split by; 0 for none
   */
  KeyLayout(TensorShape shape, long[] splits) {
    this.shape = shape;
    int order = shape.order();
    factors = splits.clone();
    lows = new int[order];
    int[] bits = new int[order];
    int[] wordOf = new int[order];
    int word = 0;
    int used = 0;
    for (int mode = 0; mode < order; mode++) {
      long largest = Math.max(0, shape.size(mode) - 1);
      lows[mode] = factors[mode] == 0 ? 0 : bits(Math.min(factors[mode] - 1, largest));
      bits[mode] = factors[mode] == 0 ? bits(largest) : bits(largest / factors[mode]) + lows[mode];
      if (used + bits[mode] > Long.SIZE) {
        word++;
        used = 0;
      }
      wordOf[mode] = word;
      used += bits[mode];
    }
    words = word + 1;
    fields = new Bits[order];
    int[] filled = new int[words];
    for (int mode = order - 1; mode >= 0; mode--) {
      fields[mode] = new Bits(wordOf[mode], filled[wordOf[mode]], bits[mode]);
      filled[wordOf[mode]] += bits[mode];
    }
  }

  private static int bits(long largest) {
    return Long.SIZE - Long.numberOfLeadingZeros(largest);
  }

  /**
   * The sizes of blocks by which modes must be split so that a layout suits {@code format}: 0 for
   * not at all, -1 where that does not matter.
   */
  static long[] splits(TensorFormat format) {
    long[] splits = new long[format.order()];
    Arrays.fill(splits, -1);
    for (int level = 0; level < format.levelCount(); level++) {
      LevelCoordinate coordinate = format.coordinate(level);
      if (coordinate instanceof LevelCoordinate.Block block) {
        splits[format.modeOf(level)] = Long.bitCount(block.size()) == 1 ? 0 : block.size();
      }
    }
    return splits;
  }

  TensorShape shape() {
    return shape;
  }

  /** Words of a key. */
  int words() {
    return words;
  }

  Coordinate mode(int mode) {
    boolean split = factors[mode] != 0;
    return new Coordinate(fields[mode], split ? factors[mode] : 1, lows[mode]);
  }

  /**
   * What {@code level} stores; that of a counted level is the last mode, which others do not store.
   */
  Coordinate level(TensorFormat format, int level) {
    LevelCoordinate stored = format.coordinate(level);
    int mode = stored.isCounted() ? shape.order() - 1 : format.modeOf(level);
    Bits field = fields[mode];
    if (stored instanceof LevelCoordinate.Block block) {
      int low = low(mode, block.size());
      return whole(new Bits(field.word(), field.shift() + low, field.bits() - low));
    } else if (stored instanceof LevelCoordinate.Within within) {
      return whole(new Bits(field.word(), field.shift(), low(mode, within.size())));
    }
    return mode(mode);
  }

  private int low(int mode, long size) {
    return factors[mode] != 0
        ? lows[mode]
        : Math.min(fields[mode].bits(), Long.numberOfTrailingZeros(size));
  }

  private static Coordinate whole(Bits bits) {
    return new Coordinate(bits, 1, 0);
  }

  /** The bits by which entries are sorted in {@code format}. */
  List<Bits> sequence(TensorFormat format) {
    List<Bits> sequence = new ArrayList<>();
    for (int level = 0; level < format.levelCount(); level++) {
      sequence.add(level(format, level).bits());
    }
    return sequence;
  }

  /** The bits by which entries are sorted in the order of modes. */
  List<Bits> sequence(int... modeOrder) {
    return Arrays.stream(modeOrder).mapToObj(mode -> fields[mode]).toList();
  }
}
