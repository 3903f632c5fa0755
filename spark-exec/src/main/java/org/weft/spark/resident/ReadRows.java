package org.weft.spark.resident;

import java.util.BitSet;
import org.weft.memory.NativeArray;
import org.weft.runtime.ColumnPasses;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * The coordinates of a mode that a packed tensor has entries of: the rows that a kernel reads of an
 * operand of that mode.
 */
final class ReadRows {
  private final TensorStorage storage;
  private final TensorFormat format;
  private final int mode;
  private final long unit;
  private final int units;

  private ReadRows(TensorStorage storage, int mode, long unit, int units) {
    this.storage = storage;
    this.format = storage.format();
    this.mode = mode;
    this.unit = unit;
    this.units = units;
  }

  /**
   * A bit for each {@code unit} coordinates, set where there are entries; all bits where the format
   * does not tell. Cost {@code O(positions of the mode's level)}.
   *
   * @param units how many bits the mode has
   */
  static BitSet of(TensorStorage storage, int mode, long unit, int units) {
    return new ReadRows(storage, mode, unit, units).find();
  }

  private BitSet find() {
    for (int level = 0; level < format.levelCount(); level++) {
      if (format.modeOf(level) != mode || !storage.hasCrd(level)) {
        continue;
      }
      LevelCoordinate coordinate = format.coordinate(level);
      if (coordinate instanceof LevelCoordinate.Mode) {
        return ColumnPasses.bits(storage.crd(level), unit, units);
      }
      if (coordinate instanceof LevelCoordinate.Within within && isTiled(level)) {
        return within(level, within.size());
      }
    }
    BitSet all = new BitSet(units);
    all.set(0, units);
    return all;
  }

  /** Whether the root counts blocks of the mode, and sparse levels lead from it to a level. */
  private boolean isTiled(int below) {
    boolean tiled =
        format.modeOf(0) == mode && format.coordinate(0) instanceof LevelCoordinate.Block;
    for (int level = 1; level <= below; level++) {
      tiled &= storage.hasPos(level) || storage.hasCrd(level);
    }
    return tiled && !storage.hasCrd(0);
  }

  /** The offsets in each block of the root. */
  private BitSet within(int level, long size) {
    BitSet read = new BitSet(units);
    NativeArray offsets = storage.crd(level);
    long from = 0;
    for (long block = 0; block < storage.positions(0); block++) {
      long to = end(level, block);
      if (from < to) {
        BitSet here = ColumnPasses.bits(offsets, from, to, Math.toIntExact(size));
        for (int at = here.nextSetBit(0); at >= 0; at = here.nextSetBit(at + 1)) {
          read.set((int) ((block * size + at) / unit));
        }
      }
      from = to;
    }
    return read;
  }

  /** The position of a level after those of a block. */
  private long end(int level, long block) {
    long end = block + 1;
    for (int below = 1; below <= level; below++) {
      end = storage.hasPos(below) ? storage.pos(below).getLong(end) : end;
    }
    return end;
  }
}
