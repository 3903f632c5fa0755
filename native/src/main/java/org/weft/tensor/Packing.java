package org.weft.tensor;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.tensor.level.LevelPacking;

/**
 * From coordinate blocks to storage and back. Entries are sorted in level order, duplicates are
 * summed in order of appearance, explicit zeros stay, and each level format builds its own arrays.
 */
public final class Packing {
  private Packing() {}

  /** Packs {@code blocks} into a new storage below {@code parent}. Cost: see {@link SortKeys}. */
  public static TensorStorage pack(
      MemoryScope parent, TensorShape shape, TensorFormat format, List<CooBlock> blocks) {
    return pack(parent, shape, format, blocks, 0);
  }

  /**
   * As above, with {@code rootOffset} subtracted from the coordinates of the outermost level's
   * mode, whose size in {@code shape} is that of the partition.
   *
   * @throws org.weft.error.WeftException {@code COORDINATE_OUT_OF_RANGE}, {@code WIDTH_OVERFLOW},
   *     {@code OUT_OF_MEMORY}
   */
  public static TensorStorage pack(
      MemoryScope parent,
      TensorShape shape,
      TensorFormat format,
      List<CooBlock> blocks,
      long rootOffset) {
    SortKeys keys = SortKeys.of(shape, format, blocks, rootOffset);
    keys.sort();
    keys.mergeDuplicates();
    return build(parent, shape, format, keys);
  }

  /** Number of entries in {@code blocks} that repeat the coordinates of another. */
  public static long countDuplicates(TensorShape shape, List<CooBlock> blocks) {
    SortKeys keys =
        SortKeys.of(shape, TensorFormat.coo(shape.order(), ValueType.DOUBLE), blocks, 0);
    keys.sort();
    return keys.mergeDuplicates();
  }

  /** {@code blocks} as one block sorted by {@code modeOrder}, duplicates summed. */
  public static CooBlock sorted(TensorShape shape, int[] modeOrder, List<CooBlock> blocks) {
    SortKeys keys =
        SortKeys.of(
            shape,
            TensorFormat.coo(shape.order(), ValueType.DOUBLE).withModeOrder(modeOrder),
            blocks,
            0);
    keys.sort();
    keys.mergeDuplicates();
    CooBlock.Builder sorted = new CooBlock.Builder(shape.order(), keys.size());
    for (int e = 0; e < keys.size(); e++) {
      for (int level = 0; level < modeOrder.length; level++) {
        sorted.set(modeOrder[level], keys.coordinate(level, e));
      }
      sorted.finish(keys.value(e));
    }
    return sorted.build();
  }

  private static TensorStorage build(
      MemoryScope parent, TensorShape shape, TensorFormat format, SortKeys keys) {
    MemoryScope scope = parent.child("packed " + shape);
    try {
      int order = format.order();
      long[] positions = new long[order];
      @Nullable NativeArray[] pos = new NativeArray[order];
      @Nullable NativeArray[] crd = new NativeArray[order];
      int parents = 1;
      int[] starts = {0, keys.size()};
      for (int level = 0; level < order; level++) {
        LevelSpec spec = format.level(level);
        LevelPacking packing =
            new LevelPacking(
                keys,
                level,
                parents,
                starts,
                shape.size(format.modeOf(level)),
                spec.posWidth(),
                spec.crdWidth(),
                scope);
        spec.format().pack(packing);
        parents = packing.children();
        starts = packing.childStarts();
        positions[level] = parents;
        pos[level] = packing.pos();
        crd[level] = packing.crd();
      }
      NativeArray values = scope.allocate(format.valueType().elementType(), parents);
      for (int p = 0; p < parents; p++) {
        double sum = 0;
        for (int e = starts[p]; e < starts[p + 1]; e++) {
          sum = e == starts[p] ? keys.value(e) : sum + keys.value(e);
        }
        values.setDouble(p, sum);
      }
      return TensorStorage.ofArrays(scope, shape, format, positions, pos, crd, values);
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  /** All stored entries as one block, in storage order. */
  public static CooBlock unpack(TensorStorage storage) {
    CooBlock.Builder builder =
        new CooBlock.Builder(
            storage.shape().order(),
            (int) Math.min(Integer.MAX_VALUE - 16, storage.storedEntries()));
    storage.forEachEntry(builder::add);
    return builder.build();
  }

  /**
   * All stored entries in storage order, in blocks of {@code blockSize}, made as they are asked.
   */
  public static Iterator<CooBlock> unpackBlocks(TensorStorage storage, int blockSize) {
    return new BlockIterator(storage, blockSize);
  }

  /** Depth-first walk over the levels that can stop after every entry. */
  private static final class BlockIterator implements Iterator<CooBlock> {
    private final TensorStorage storage;
    private final int blockSize;
    private final int order;
    private final long[] at;
    private final long[] end;
    private final long[] coordinates;
    private final List<Integer> modeOf = new ArrayList<>();
    private boolean more;

    BlockIterator(TensorStorage storage, int blockSize) {
      this.storage = storage;
      this.blockSize = blockSize;
      this.order = storage.format().order();
      this.at = new long[order];
      this.end = new long[order];
      this.coordinates = new long[order];
      for (int mode : storage.format().modeOrder()) {
        modeOf.add(mode);
      }
      if (order == 0) {
        more = true;
      } else {
        open(0, 0);
        more = settle(0);
      }
    }

    private void open(int level, long parent) {
      var view = storage.level(level);
      var format = storage.format().level(level).format();
      at[level] = format.firstChild(view, parent);
      end[level] = format.endChild(view, parent);
    }

    /** Descends from {@code level} to the next entry at or after the current positions. */
    private boolean settle(int from) {
      int level = from;
      while (level >= 0) {
        if (at[level] >= end[level]) {
          level--;
          if (level >= 0) {
            at[level]++;
          }
          continue;
        }
        long parent = level == 0 ? 0 : at[level - 1];
        coordinates[modeOf.get(level)] =
            storage
                .format()
                .level(level)
                .format()
                .coordinate(storage.level(level), parent, at[level]);
        if (level == order - 1) {
          return true;
        }
        open(level + 1, at[level]);
        level++;
      }
      return false;
    }

    @Override
    public boolean hasNext() {
      return more;
    }

    @Override
    public CooBlock next() {
      if (!more) {
        throw new NoSuchElementException();
      }
      CooBlock.Builder block = new CooBlock.Builder(order, blockSize);
      do {
        block.add(coordinates, storage.vals().getDouble(order == 0 ? 0 : at[order - 1]));
        if (order == 0) {
          more = false;
        } else {
          at[order - 1]++;
          more = settle(order - 1);
        }
      } while (more && block.size() < blockSize);
      return block.build();
    }
  }
}
