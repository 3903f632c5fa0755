package org.weft.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.tensor.level.NativeLevel;

/**
 * Cuts a stored tensor along its outermost mode into storages of its slices. The storages share the
 * coordinates and values of the whole tensor, which is closed with the last of them. Each has its
 * own {@code pos} arrays and its own coordinates of the outermost mode, which start at 0.
 */
public final class StorageSlices {
  private final TensorStorage whole;
  private final MemoryScope parent;
  private final AtomicInteger holders = new AtomicInteger(1);

  private StorageSlices(MemoryScope parent, TensorStorage whole) {
    this.parent = parent;
    this.whole = whole;
  }

  /**
   * Whether tensors in {@code format} can be cut: the outermost level is dense or compressed, lists
   * every coordinate once, and no other level has a part of its mode; the levels below are
   * compressed or branchless.
   */
  public static boolean suits(TensorFormat format) {
    if (format.levelCount() < 2 || !isRoot(format)) {
      return false;
    }
    boolean segments = false;
    for (int level = 1; level < format.levelCount(); level++) {
      NativeLevel kind = format.level(level).format().nativeLevel().orElse(null);
      segments |= kind == NativeLevel.COMPRESSED;
      boolean cut = kind == NativeLevel.COMPRESSED || segments && kind == NativeLevel.SINGLETON;
      if (!cut || format.coordinate(level).isCounted()) {
        return false;
      }
    }
    return true;
  }

  private static boolean isRoot(TensorFormat format) {
    NativeLevel kind = format.level(0).format().nativeLevel().orElse(null);
    boolean each = kind == NativeLevel.DENSE || kind == NativeLevel.COMPRESSED;
    return each
        && format.level(0).properties().unique()
        && format.coordinate(0) instanceof LevelCoordinate.Mode;
  }

  /**
   * The slices between bounds.
   *
   * @param parent of the storages' own arrays
   * @param whole in a format that {@link #suits}; taken over, also if there is an error
   * @param bounds of the outermost mode, ascending: storage {@code n} has the slices from {@code
   *     bounds[n]} up to {@code bounds[n + 1]}
   * @throws org.weft.error.WeftException {@code OUT_OF_MEMORY}
   */
  public static List<TensorStorage> cut(MemoryScope parent, TensorStorage whole, long... bounds) {
    StorageSlices slices = new StorageSlices(parent, whole);
    List<TensorStorage> made = new ArrayList<>();
    try {
      for (int n = 0; n + 1 < bounds.length; n++) {
        made.add(slices.between(bounds[n], bounds[n + 1]));
      }
      return made;
    } catch (RuntimeException e) {
      made.forEach(TensorStorage::close);
      throw e;
    } finally {
      slices.release();
    }
  }

  private void release() {
    if (holders.decrementAndGet() == 0) {
      whole.close();
    }
  }

  private TensorStorage between(long from, long to) {
    TensorFormat format = whole.format();
    int count = format.levelCount();
    long[] positions = new long[count];
    @Nullable NativeArray[] pos = new NativeArray[count];
    @Nullable NativeArray[] crd = new NativeArray[count];
    MemoryScope scope = parent.child("slices");
    try {
      boolean all = !whole.hasCrd(0);
      long start = all ? from : position(from);
      long end = all ? to : position(to);
      positions[0] = end - start;
      if (!all) {
        pos[0] = scope.allocateUninitialized(whole.pos(0).type(), 2);
        pos[0].setLong(0, 0);
        pos[0].setLong(1, end - start);
        crd[0] = moved(scope, whole.crd(0), start, end - start, from);
      }
      for (int level = 1; level < count; level++) {
        if (whole.hasPos(level)) {
          NativeArray bounds = whole.pos(level);
          long first = bounds.getLong(start);
          pos[level] = moved(scope, bounds, start, end - start + 1, first);
          end = bounds.getLong(end);
          start = first;
        }
        positions[level] = end - start;
        crd[level] = shared(scope, whole.crd(level), start, end - start, () -> {});
      }
      holders.incrementAndGet();
      NativeArray values = shared(scope, whole.vals(), start, end - start, this::release);
      TensorShape shape = whole.shape().with(format.modeOf(0), to - from);
      return TensorStorage.ofArrays(scope, shape, format, positions, pos, crd, values);
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  /** The first position of the outermost level whose coordinate is at least {@code coordinate}. */
  private long position(long coordinate) {
    NativeArray coordinates = whole.crd(0);
    long low = 0;
    long high = whole.positions(0);
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (coordinates.getLong(middle) < coordinate) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** A copy of numbers, less {@code subtracted}. */
  private static NativeArray moved(
      MemoryScope scope, NativeArray numbers, long from, long count, long subtracted) {
    NativeArray copy = scope.allocateUninitialized(numbers.type(), count);
    for (long i = 0; i < count; i++) {
      copy.setLong(i, numbers.getLong(from + i) - subtracted);
    }
    return copy;
  }

  private static NativeArray shared(
      MemoryScope scope, NativeArray array, long from, long count, Runnable free) {
    long address = array.address() + from * array.type().bytes();
    return scope.adopt(address, array.type(), count, free);
  }
}
