package org.weft.runtime;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Sorts coordinate tensors (one position per entry at every level, so that each level's {@code crd}
 * is a column) in the C++ runtime. Cost {@code O(n bits / 11)} for the bits of the coordinates that
 * are sorted by; 32 bytes of scratch memory an entry.
 */
public final class EntrySort {
  private static final int HEADER = 6;
  private static final int PER_COLUMN = 3;

  private EntrySort() {}

  /**
   * The entries of {@code entries} with its levels in another mode order, sorted by the first
   * {@code keys} of them; entries that agree there keep their order. The arrays are reused: {@code
   * entries} must not be used afterwards, and closing the result frees them.
   *
   * @param entries a tensor whose first level alone has a {@code pos} array
   * @throws WeftException {@code OUT_OF_MEMORY}; {@code entries} is then unchanged and still the
   *     caller's
   */
  public static TensorStorage sort(TensorStorage entries, int[] modeOrder, int keys) {
    TensorFormat from = entries.format();
    int order = from.order();
    List<Integer> levels = new ArrayList<>();
    for (int mode : modeOrder) {
      levels.add(levelOf(from, mode));
    }
    sortColumns(entries, levels, keys);
    List<LevelSpec> specs = new ArrayList<>();
    long[] positions = new long[order];
    @Nullable NativeArray[] pos = new NativeArray[order];
    @Nullable NativeArray[] crd = new NativeArray[order];
    for (int level = 0; level < order; level++) {
      int old = levels.get(level);
      specs.add(
          from.level(level).withWidths(from.level(level).posWidth(), from.level(old).crdWidth()));
      positions[level] = entries.positions(old);
      pos[level] = level == 0 ? entries.pos(0) : null;
      crd[level] = entries.crd(old);
    }
    TensorFormat to = new TensorFormat(specs, modeOrder, from.valueType());
    return TensorStorage.ofArrays(
        entries.scope(), entries.shape(), to, positions, pos, crd, entries.vals());
  }

  private static int levelOf(TensorFormat format, int mode) {
    for (int level = 0; level < format.order(); level++) {
      if (format.modeOf(level) == mode) {
        return level;
      }
    }
    throw new IllegalArgumentException(format + " has no mode " + mode);
  }

  private static void sortColumns(TensorStorage entries, List<Integer> levels, int keys) {
    NativeRuntime.require();
    TensorFormat format = entries.format();
    TensorShape shape = entries.shape();
    MemorySource memory = MemorySource.system();
    long bytes = (HEADER + (long) PER_COLUMN * levels.size()) * Long.BYTES;
    long block = memory.allocate(bytes);
    try {
      put(block, 0, 0, entries.storedEntries(), levels.size(), keys);
      put(block, 4, entries.vals().address(), format.valueType().bytes());
      for (int column = 0; column < levels.size(); column++) {
        int level = levels.get(column);
        long largest = Math.max(0, shape.size(format.modeOf(level)) - 1);
        put(
            block,
            HEADER + PER_COLUMN * column,
            entries.crd(level).address(),
            format.level(level).crdWidth().bytes(),
            Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(largest)));
      }
      NativeRuntime.sortEntries(block);
      if (NativeMemory.getLong(block) != 0) {
        throw new WeftException(
            ErrorCode.OUT_OF_MEMORY,
            "no memory to sort "
                + entries.storedEntries()
                + " entries, which takes 32 bytes an entry beside them; use a larger machine or"
                + " operands stored in the order in which they are used");
      }
    } finally {
      memory.free(block, bytes);
    }
  }

  private static void put(long block, int slot, long... values) {
    for (int i = 0; i < values.length; i++) {
      NativeMemory.putLong(block + (long) (slot + i) * Long.BYTES, values[i]);
    }
  }
}
