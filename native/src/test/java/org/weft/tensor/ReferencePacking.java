package org.weft.tensor;

import java.util.ArrayList;
import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.tensor.level.LevelPacking;

/**
 * Packing as its contract says: entries sorted as objects, duplicates summed in order of
 * appearance, and every level made by its own format. For formats that count nothing.
 */
final class ReferencePacking {
  private record Entry(long[] at, double value, long exact) {}

  private ReferencePacking() {}

  static TensorStorage pack(
      MemoryScope parent,
      TensorShape shape,
      TensorFormat format,
      List<CooBlock> blocks,
      long[] origin) {
    boolean exact = !blocks.isEmpty() && blocks.stream().allMatch(CooBlock::hasLongValues);
    List<Entry> entries = merged(entries(shape, format, blocks, origin));
    MemoryScope scope = parent.child("reference");
    int count = format.levelCount();
    long[] positions = new long[count];
    NativeArray[] pos = new NativeArray[count];
    NativeArray[] crd = new NativeArray[count];
    LevelPacking.Segments segments = LevelPacking.Segments.root(entries.size());
    try {
      for (int level = 0; level < count; level++) {
        LevelSpec spec = format.level(level);
        LevelPacking packing =
            new LevelPacking(
                (l, e) -> entries.get(e).at[l],
                new LevelPacking.Target(
                    level,
                    format.levelSize(shape, level),
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
      NativeArray values = scope.allocate(format.valueType().elementType(), segments.count());
      for (int p = 0; p < segments.count(); p++) {
        if (segments.start(p) < segments.end(p)) {
          Entry entry = entries.get(segments.start(p));
          if (exact) {
            values.setLong(p, entry.exact);
          } else {
            values.setDouble(p, entry.value);
          }
        }
      }
      return TensorStorage.ofArrays(scope, shape, format, positions, pos, crd, values);
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  private static List<Entry> entries(
      TensorShape shape, TensorFormat format, List<CooBlock> blocks, long[] origin) {
    List<Entry> entries = new ArrayList<>();
    for (CooBlock block : blocks) {
      for (int e = 0; e < block.size(); e++) {
        long[] at = new long[format.levelCount()];
        for (int level = 0; level < at.length; level++) {
          int mode = format.modeOf(level);
          long c = block.coordinate(mode, e) - origin[mode];
          if (c < 0 || c >= shape.size(mode)) {
            throw new WeftException(ErrorCode.COORDINATE_OUT_OF_RANGE, "mode " + mode + ": " + c);
          }
          LevelCoordinate stored = format.coordinate(level);
          if (stored instanceof LevelCoordinate.Block b) {
            c /= b.size();
          } else if (stored instanceof LevelCoordinate.Within w) {
            c %= w.size();
          }
          at[level] = c;
        }
        entries.add(new Entry(at, block.value(e), block.longValue(e)));
      }
    }
    entries.sort((one, other) -> compare(one.at, other.at));
    return entries;
  }

  /** {@code Arrays.compare} is slow without the JVM's second compiler. */
  private static int compare(long[] one, long[] other) {
    int order = 0;
    for (int level = 0; level < one.length && order == 0; level++) {
      order = Long.compare(one[level], other[level]);
    }
    return order;
  }

  private static List<Entry> merged(List<Entry> sorted) {
    List<Entry> merged = new ArrayList<>();
    for (Entry entry : sorted) {
      int last = merged.size() - 1;
      if (last >= 0 && compare(merged.get(last).at, entry.at) == 0) {
        Entry before = merged.get(last);
        merged.set(
            last, new Entry(entry.at, before.value + entry.value, before.exact + entry.exact));
      } else {
        merged.add(entry);
      }
    }
    return merged;
  }
}
