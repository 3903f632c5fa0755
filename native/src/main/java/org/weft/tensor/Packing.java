package org.weft.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.tensor.level.LevelPacking;
import org.weft.tensor.level.SortedEntries;

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
    boolean slots = format.levelCount() > 0 && format.coordinate(0) instanceof LevelCoordinate.Slot;
    List<CooBlock> entries =
        slots ? List.of(sorted(shape, format.modeOrder(), blocks, rootOffset, true)) : blocks;
    int[] slotOf = slots ? slots(entries.get(0), format.modeOrder()[0]) : new int[0];
    SortKeys keys = SortKeys.of(shape, format, entries, slots ? 0 : rootOffset, slotOf);
    keys.sort();
    keys.mergeDuplicates();
    return build(parent, shape, format, keys);
  }

  /**
   * Packs several forms of one tensor, which are sorted from one another.
   *
   * @param blocks taken from the queue one by one, so that the heap can have them back while their
   *     entries are read; some may be left if an error is thrown
   * @param threads that may work, the calling one included; the forms do not depend on it
   * @throws org.weft.error.WeftException {@code COORDINATE_OUT_OF_RANGE}, {@code WIDTH_OVERFLOW},
   *     {@code OUT_OF_MEMORY}; no form is left then
   */
  public static PackedForms packAll(
      MemoryScope parent,
      TensorShape shape,
      List<TensorFormat> formats,
      Queue<CooBlock> blocks,
      int threads) {
    return packAll(parent, shape, formats, blocks, new long[shape.order()], threads);
  }

  /**
   * As above, of a part of a tensor.
   *
   * @param shape of the part
   * @param origin the first coordinate of the part in each mode, which is subtracted
   */
  public static PackedForms packAll(
      MemoryScope parent,
      TensorShape shape,
      List<TensorFormat> formats,
      Queue<CooBlock> blocks,
      long[] origin,
      int threads) {
    List<CooBlock> kept = new ArrayList<>();
    while (!blocks.isEmpty()) {
      kept.add(rebased(blocks.remove(), origin));
    }
    List<TensorStorage> forms = new ArrayList<>();
    try {
      for (TensorFormat format : formats) {
        forms.add(pack(parent, shape, format, kept));
      }
      double squares = forms.isEmpty() ? 0 : sumOfSquares(forms.get(0).vals());
      return new PackedForms(forms, squares, countDuplicates(shape, kept));
    } catch (RuntimeException e) {
      forms.forEach(TensorStorage::close);
      throw e;
    }
  }

  private static CooBlock rebased(CooBlock block, long[] origin) {
    if (Arrays.stream(origin).allMatch(first -> first == 0)) {
      return block;
    }
    CooBlock.Builder builder =
        new CooBlock.Builder(block.order(), block.size(), block.hasLongValues());
    for (int e = 0; e < block.size(); e++) {
      for (int mode = 0; mode < origin.length; mode++) {
        builder.set(mode, block.coordinate(mode, e) - origin[mode]);
      }
      if (block.hasLongValues()) {
        builder.finishLong(block.longValue(e));
      } else {
        builder.finish(block.value(e));
      }
    }
    return builder.build();
  }

  private static double sumOfSquares(NativeArray values) {
    double sum = 0;
    for (long p = 0; p < values.length(); p++) {
      double value = values.getDouble(p);
      sum += value * value;
    }
    return sum;
  }

  /** The number of each entry within its slice of {@code mode}, by which they are sorted. */
  private static int[] slots(CooBlock sorted, int mode) {
    int[] slots = new int[sorted.size()];
    for (int e = 1; e < slots.length; e++) {
      slots[e] =
          sorted.coordinate(mode, e) == sorted.coordinate(mode, e - 1) ? slots[e - 1] + 1 : 0;
    }
    return slots;
  }

  /** Number of entries in {@code blocks} that repeat the coordinates of another. */
  public static long countDuplicates(TensorShape shape, List<CooBlock> blocks) {
    SortKeys keys =
        SortKeys.of(
            shape, TensorFormat.coo(shape.order(), ValueType.DOUBLE), blocks, 0, new int[0]);
    keys.sort();
    return keys.mergeDuplicates();
  }

  /** {@code blocks} as one block sorted by {@code modeOrder}, duplicates summed. */
  public static CooBlock sorted(TensorShape shape, int[] modeOrder, List<CooBlock> blocks) {
    return sorted(shape, modeOrder, blocks, 0, true);
  }

  /** {@code blocks} as one block sorted by {@code modeOrder}; duplicates stay, in their order. */
  static CooBlock sortedWithDuplicates(TensorShape shape, int[] modeOrder, List<CooBlock> blocks) {
    return sorted(shape, modeOrder, blocks, 0, false);
  }

  private static CooBlock sorted(
      TensorShape shape, int[] modeOrder, List<CooBlock> blocks, long rootOffset, boolean merged) {
    SortKeys keys =
        SortKeys.of(
            shape,
            TensorFormat.coo(shape.order(), ValueType.DOUBLE).withModeOrder(modeOrder),
            blocks,
            rootOffset,
            new int[0]);
    keys.sort();
    if (merged) {
      keys.mergeDuplicates();
    }
    CooBlock.Builder sorted = new CooBlock.Builder(shape.order(), keys.size(), keys.isExact());
    for (int e = 0; e < keys.size(); e++) {
      for (int level = 0; level < modeOrder.length; level++) {
        sorted.set(modeOrder[level], keys.coordinate(level, e));
      }
      if (keys.isExact()) {
        sorted.finishLong(keys.longValue(e));
      } else {
        sorted.finish(keys.value(e));
      }
    }
    return sorted.build();
  }

  private static TensorStorage build(
      MemoryScope parent, TensorShape shape, TensorFormat format, SortKeys keys) {
    MemoryScope scope = parent.child("packed " + shape);
    try {
      int count = format.levelCount();
      long[] positions = new long[count];
      @Nullable NativeArray[] pos = new NativeArray[count];
      @Nullable NativeArray[] crd = new NativeArray[count];
      long[] distinct = distinctRoots(format, keys);
      SortedEntries entries = distinct.length == 0 ? keys : numbered(keys, distinct);
      LevelPacking.Segments segments = LevelPacking.Segments.root(keys.size());
      for (int level = 0; level < count; level++) {
        LevelSpec spec = format.level(level);
        boolean counted = format.coordinate(level).isCounted();
        LevelPacking packing =
            new LevelPacking(
                entries,
                new LevelPacking.Target(
                    level,
                    counted ? distinct.length : format.levelSize(shape, level),
                    format.sizeBelow(shape, level),
                    format.branchlessBelow(level),
                    spec.format(),
                    spec.properties(),
                    spec.posWidth(),
                    spec.crdWidth()),
                segments,
                scope);
        spec.format().pack(packing);
        segments = packing.segments();
        positions[level] = segments.count();
        pos[level] = packing.pos();
        crd[level] = packing.crd();
      }
      NativeArray values =
          scope.allocateUninitialized(format.valueType().elementType(), segments.count());
      if (segments.isEachEntry()) {
        keys.storeValues(values);
      } else {
        for (int p = 0; p < segments.count(); p++) {
          store(values, p, keys, segments.start(p), segments.end(p));
        }
      }
      return TensorStorage.ofArrays(scope, shape, format, positions, pos, crd, values);
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  /** Stores the sum of entries {@code [from, to)}, or 0 if there is none. */
  private static void store(NativeArray values, int position, SortKeys keys, int from, int to) {
    if (keys.isExact()) {
      long sum = 0;
      for (int e = from; e < to; e++) {
        sum += keys.longValue(e);
      }
      values.setLong(position, sum);
      return;
    }
    double sum = from < to ? keys.value(from) : 0;
    for (int e = from + 1; e < to; e++) {
      sum += keys.value(e);
    }
    values.setDouble(position, sum);
  }

  /** The different coordinates of a root that counts slots or diagonals, in increasing order. */
  private static long[] distinctRoots(TensorFormat format, SortKeys keys) {
    if (format.levelCount() == 0 || !format.coordinate(0).isCounted()) {
      return new long[0];
    }
    return IntStream.range(0, keys.size())
        .mapToLong(e -> keys.coordinate(0, e))
        .distinct()
        .toArray();
  }

  /** The entries with the numbers of their root coordinates in place of these. */
  private static SortedEntries numbered(SortKeys keys, long[] distinct) {
    return (level, entry) ->
        level == 0
            ? Arrays.binarySearch(distinct, keys.coordinate(0, entry))
            : keys.coordinate(level, entry);
  }

  /** All stored entries as one block, in storage order. */
  public static CooBlock unpack(TensorStorage storage) {
    boolean exact = storage.format().valueType() == ValueType.LONG;
    CooBlock.Builder builder =
        new CooBlock.Builder(
            storage.shape().order(),
            (int) Math.min(Integer.MAX_VALUE - 16, storage.storedEntries()),
            exact);
    if (exact) {
      storage.forEachPosition((at, p) -> builder.addLong(at, storage.vals().getLong(p)));
    } else {
      storage.forEachEntry(builder::add);
    }
    return builder.build();
  }

  /**
   * All stored entries in storage order, in blocks of {@code blockSize}, made as they are asked.
   */
  public static Iterator<CooBlock> unpackBlocks(TensorStorage storage, int blockSize) {
    return new BlockIterator(storage, blockSize);
  }

  private static final class BlockIterator implements Iterator<CooBlock> {
    private final TensorStorage storage;
    private final int blockSize;
    private final EntryCursor cursor;
    private boolean more;

    BlockIterator(TensorStorage storage, int blockSize) {
      this.storage = storage;
      this.blockSize = blockSize;
      this.cursor = new EntryCursor(storage);
      this.more = cursor.next();
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
      boolean exact = storage.format().valueType() == ValueType.LONG;
      CooBlock.Builder block = new CooBlock.Builder(storage.shape().order(), blockSize, exact);
      do {
        if (exact) {
          block.addLong(cursor.coordinates(), storage.vals().getLong(cursor.position()));
        } else {
          block.add(cursor.coordinates(), storage.vals().getDouble(cursor.position()));
        }
        more = cursor.next();
      } while (more && block.size() < blockSize);
      return block.build();
    }
  }
}
