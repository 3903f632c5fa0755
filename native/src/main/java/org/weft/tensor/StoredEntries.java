package org.weft.tensor;

import org.weft.memory.NativeArray;
import org.weft.tensor.PackRecords.Arguments;
import org.weft.tensor.PackRecords.Step;
import org.weft.tensor.level.NativeLevel;

/**
 * The entries of a stored tensor in storage order, as columns that the C++ runtime makes of its
 * levels.
 */
final class StoredEntries implements EntryColumns {
  private static final int PER_LEVEL = 9;
  private static final int MOST_LEVELS = 64;

  private final TensorStorage storage;
  private final boolean owned;
  private final Arguments arguments;

  /**
   * @param storage that {@link #suits}
   * @param owned whether it is closed with the entries
   */
  StoredEntries(TensorStorage storage, boolean owned) {
    if (!suits(storage)) {
      throw new IllegalArgumentException("expected levels of modes, found " + storage.format());
    }
    this.storage = storage;
    this.owned = owned;
    TensorFormat format = storage.format();
    arguments = new Arguments(PER_LEVEL * format.levelCount());
    arguments.set(5, storage.vals().address());
    arguments.set(7, format.levelCount());
    arguments.set(9, FormBuilder.typeNumber(format.valueType()));
    for (int level = 0; level < format.levelCount(); level++) {
      NativeLevel kind = format.level(level).format().nativeLevel().orElseThrow();
      NativeArray pos = storage.level(level).pos();
      NativeArray crd = storage.level(level).crd();
      arguments.list(
          PER_LEVEL * level,
          kind.ordinal(),
          storage.level(level).modeSize(),
          storage.positions(level),
          pos == null ? 0 : pos.address(),
          pos == null ? 0 : pos.type().bytes(),
          crd == null ? 0 : crd.address(),
          crd == null ? 0 : crd.type().bytes());
    }
  }

  /** Whether the runtime knows all levels, and each stores the coordinates of a mode. */
  static boolean suits(TensorStorage storage) {
    TensorFormat format = storage.format();
    for (int level = 0; level < format.levelCount(); level++) {
      if (!(format.coordinate(level) instanceof LevelCoordinate.Mode)
          || format.level(level).format().nativeLevel().isEmpty()) {
        return false;
      }
    }
    return format.levelCount() > 0 && format.levelCount() <= MOST_LEVELS;
  }

  @Override
  public long size() {
    return storage.storedEntries();
  }

  @Override
  public boolean isWide(int mode) {
    return storage.shape().size(mode) > 1L << (Integer.SIZE - 1);
  }

  @Override
  public void copy(long from, int count, long[] columns, long values, boolean exact) {
    arguments.set(2, count);
    arguments.set(8, values);
    arguments.set(10, exact ? 1 : 0);
    arguments.set(11, from);
    for (int level = 0; level < columns.length; level++) {
      int mode = storage.format().modeOf(level);
      int bytes = isWide(mode) ? Long.BYTES : Integer.BYTES;
      arguments.list(PER_LEVEL * level + 7, columns[mode], bytes);
    }
    arguments.take(Step.UNPACK);
  }

  @Override
  public void close() {
    arguments.close();
    if (owned) {
      storage.close();
    }
  }
}
