package org.weft.tensor;

import org.weft.tensor.level.LevelFormat;

/**
 * Comes to every stored entry of a tensor in storage order: a depth-first walk over the levels that
 * can stop after each entry. Positions without a coordinate and the cells of a block that lie
 * outside the tensor are passed over.
 */
final class EntryCursor {
  private final TensorStorage storage;
  private final TensorFormat format;
  private final LevelFormat[] levels;
  private final long[] at;
  private final long[] end;

  /** Start of the current block, per mode of a blocked format. */
  private final long[] blockStart;

  private final long[] coordinates;
  private boolean started;

  EntryCursor(TensorStorage storage) {
    this.storage = storage;
    this.format = storage.format();
    int count = format.levelCount();
    this.levels = new LevelFormat[count];
    for (int level = 0; level < count; level++) {
      levels[level] = format.level(level).format();
    }
    this.at = new long[count];
    this.end = new long[count];
    this.blockStart = new long[format.order()];
    this.coordinates = new long[format.order()];
  }

  /** The coordinates of the entry, in mode order; reused. */
  long[] coordinates() {
    return coordinates;
  }

  /** The position of the entry in the values. */
  long position() {
    return at.length == 0 ? 0 : at[at.length - 1];
  }

  /** Moves to the first or the next entry; false at the end. */
  boolean next() {
    int last = levels.length - 1;
    if (last < 0) {
      boolean first = !started;
      started = true;
      return first;
    }
    if (!started) {
      started = true;
      open(0, 0);
      return settle(0);
    }
    at[last]++;
    return settle(last);
  }

  private void open(int level, long parent) {
    at[level] = levels[level].firstChild(storage.level(level), parent);
    end[level] = levels[level].endChild(storage.level(level), parent);
  }

  /** Descends from {@code from} to the next entry at or after the current positions. */
  private boolean settle(int from) {
    int level = from;
    while (level >= 0) {
      if (at[level] >= end[level]) {
        level--;
        if (level >= 0) {
          at[level]++;
        }
      } else if (!enter(level)) {
        at[level]++;
      } else if (level == levels.length - 1) {
        return true;
      } else {
        open(level + 1, at[level]);
        level++;
      }
    }
    return false;
  }

  /** Reads the coordinate at the current position; false if there is none in the tensor. */
  private boolean enter(int level) {
    if (!levels[level].isLabelled(storage.level(level), at[level])) {
      return false;
    }
    int mode = format.modeOf(level);
    if (mode < 0) {
      return true;
    }
    long parent = level == 0 ? 0 : at[level - 1];
    long coordinate = levels[level].coordinate(storage.level(level), parent, at[level]);
    LevelCoordinate part = format.coordinate(level);
    if (part instanceof LevelCoordinate.Block block) {
      blockStart[mode] = coordinate * block.size();
      return true;
    }
    coordinates[mode] =
        part instanceof LevelCoordinate.Within ? blockStart[mode] + coordinate : coordinate;
    return coordinates[mode] < storage.shape().size(mode);
  }
}
