package org.weft.storage.container;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.runtime.BlockCheck;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.text.Counts;

/**
 * One part as a stored tensor. Check sums tell damage; that positions ascend and coordinates lie
 * inside their modes is looked at besides, because kernels believe them.
 */
record PartReader(Container container, ArrayReader arrays) {
  /**
   * Loads a part.
   *
   * @param values whether its values are wanted: otherwise they are not read, and 0
   */
  TensorStorage load(
      MemoryScope parent,
      int part,
      TensorFormat wanted,
      TensorShape shape,
      long rootOffset,
      boolean values) {
    if (!container.format().hasLevelsOf(wanted)) {
      throw new IllegalArgumentException(container.format() + " is not stored as " + wanted);
    }
    MemoryScope scope = parent.child("part " + part + " of " + container.uri());
    try {
      Manifest.Part entry = container.manifest().parts().get(part);
      return load(scope, entry, part, wanted, shape, rootOffset, values);
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  private TensorStorage load(
      MemoryScope scope,
      Manifest.Part part,
      int number,
      TensorFormat wanted,
      TensorShape shape,
      long rootOffset,
      boolean values) {
    int count = wanted.levelCount();
    requireEntries(wanted, part, number);
    List<Array> all = new ArrayList<>();
    long[] positions = new long[count];
    long parents = 1;
    for (int level = 0; level < count; level++) {
      Manifest.LevelEntry entry = part.levels().get(level);
      LevelSpec spec = wanted.level(level);
      String what = "part " + number + ", level " + (level + 1);
      positions[level] = entry.positions();
      requireStructure(wanted, shape, level, entry, parents, what);
      if (entry.pos() != null) {
        all.add(bounds(entry.pos(), spec, entry.positions(), what));
      }
      if (entry.crd() != null) {
        long least = level == 0 ? rootOffset : 0;
        all.add(coordinates(entry.crd(), spec, least, wanted.levelSize(shape, level), what));
      }
      parents = entry.positions();
    }
    if (part.values().length() != parents) {
      throw wrong("part " + number, Counts.plain(parents, "value"), part.values().length());
    }
    ElementType type = wanted.valueType().elementType();
    if (values) {
      String what = "part " + number + ", values";
      all.add(
          new Array(part.values(), what, type, 0, ArrayReader.Rule.ANYTHING, (read, check) -> {}));
    }
    return load(scope, all, positions, wanted, shape, rootOffset);
  }

  /**
   * An array to be read.
   *
   * @param largest element that it may have
   */
  private record Array(
      Manifest.ArrayEntry entry,
      String what,
      ElementType type,
      long largest,
      ArrayReader.Rule rule,
      BiConsumer<NativeArray, BlockCheck> judge) {}

  private TensorStorage load(
      MemoryScope scope,
      List<Array> all,
      long[] positions,
      TensorFormat wanted,
      TensorShape shape,
      long rootOffset) {
    all.forEach(array -> arrays.requireBlocks(array.entry(), array.what()));
    List<NativeArray> memory =
        scope.allocateTogether(
            all.stream().map(Array::type).toList(),
            all.stream().mapToLong(array -> array.entry().length()).toArray());
    for (int i = 0; i < all.size(); i++) {
      Array array = all.get(i);
      NativeArray read = memory.get(i);
      array.judge().accept(read, fill(read, array));
    }
    Iterator<NativeArray> next = memory.iterator();
    @Nullable NativeArray[] pos = new NativeArray[positions.length];
    @Nullable NativeArray[] crd = new NativeArray[positions.length];
    for (int level = 0; level < positions.length; level++) {
      pos[level] = wanted.level(level).format().hasPos() ? next.next() : null;
      crd[level] = wanted.level(level).format().hasCrd() ? next.next() : null;
    }
    NativeArray roots = crd[0];
    for (long p = 0; rootOffset != 0 && roots != null && p < roots.length(); p++) {
      roots.setLong(p, roots.getLong(p) - rootOffset);
    }
    return TensorStorage.ofArrays(
        scope,
        shape,
        wanted,
        positions,
        pos,
        crd,
        next.hasNext()
            ? next.next()
            : scope.allocate(wanted.valueType().elementType(), positions[positions.length - 1]));
  }

  /** Reads an array; numbers too wide for a type that holds all that are right are wrong. */
  private BlockCheck fill(NativeArray into, Array array) {
    try {
      return arrays.fill(into, array.entry(), array.what(), array.rule());
    } catch (WeftException e) {
      boolean fits =
          array.type().bytes() == Long.BYTES
              || array.largest() >>> Byte.SIZE * array.type().bytes() == 0;
      if (e.code() == ErrorCode.WIDTH_OVERFLOW && fits) {
        throw wrong(array.what(), "numbers up to " + array.largest(), "larger ones");
      }
      throw e;
    }
  }

  private Array bounds(Manifest.ArrayEntry entry, LevelSpec spec, long positions, String level) {
    String what = level + ", pos";
    requireWhole(entry, what);
    return new Array(
        entry,
        what,
        spec.posWidth().elementType(),
        positions,
        (check, stored) -> check.ascent(stored),
        (pos, check) -> {
          long last = pos.length() - 1;
          if (check.wrong() >= 0) {
            String found = check.found() + " after " + check.before();
            throw wrong(level, "ascending bounds", found + " at position " + check.wrong());
          }
          if (pos.getLong(0) != 0 || pos.getLong(last) != positions) {
            String found = pos.getLong(0) + " to " + pos.getLong(last);
            throw wrong(level, "bounds from 0 to " + positions, found);
          }
        });
  }

  /** Coordinates of which {@code least} to {@code least + size - 1} are in the storage. */
  private Array coordinates(
      Manifest.ArrayEntry entry, LevelSpec spec, long least, long size, String level) {
    String what = level + ", crd";
    requireWhole(entry, what);
    long below = size > Long.MAX_VALUE - least ? Long.MAX_VALUE : least + size;
    return new Array(
        entry,
        what,
        spec.crdWidth().elementType(),
        below - 1,
        (check, stored) -> check.range(stored, size == 0 ? 1 : least, size == 0 ? 0 : below - 1),
        (crd, check) -> {
          if (check.wrong() >= 0) {
            String expected = least == 0 ? "below " + below : least + " to " + (below - 1);
            String found = check.found() + " at position " + check.wrong();
            throw wrong(level, "coordinates " + expected, found);
          }
        });
  }

  private void requireWhole(Manifest.ArrayEntry entry, String what) {
    if (entry.elementType().isFloating()) {
      throw wrong(what, "whole numbers", "type " + entry.type());
    }
  }

  /** A value for every entry, and for nothing else unless the last level is dense. */
  private void requireEntries(TensorFormat format, Manifest.Part part, int number) {
    long values = part.values().length();
    boolean padded = format.level(format.levelCount() - 1).format().symbol().equals("D");
    if (part.entries() > values || (!padded && part.entries() != values)) {
      throw wrong("part " + number, Counts.plain(part.entries(), "value"), values);
    }
  }

  /** What the numbers of elements must be; O(1). */
  private void requireStructure(
      TensorFormat format,
      TensorShape shape,
      int level,
      Manifest.LevelEntry entry,
      long parents,
      String what) {
    LevelSpec spec = format.level(level);
    boolean mode = format.coordinate(level) instanceof LevelCoordinate.Mode;
    long children =
        switch (mode ? spec.format().symbol() : "") {
          case "CU", "CN" -> entry.positions();
          case "S" -> parents;
          case "D" -> Math.multiplyExact(parents, format.levelSize(shape, level));
          default ->
              throw new WeftException(
                  ErrorCode.UNSUPPORTED_OPERATION,
                  container.uri()
                      + ": expected levels D, CU, CN and S, found "
                      + format
                      + "; it was written by a newer Weft");
        };
    long pos = entry.pos() == null ? -1 : entry.pos().length();
    long crd = entry.crd() == null ? -1 : entry.crd().length();
    if (entry.positions() != children) {
      throw wrong(what, children + " positions", entry.positions());
    }
    if (pos != (spec.format().hasPos() ? parents + 1 : -1)) {
      throw wrong(what, (parents + 1) + " bounds", pos);
    }
    if (crd != (spec.format().hasCrd() ? children : -1)) {
      throw wrong(what, Counts.plain(children, "coordinate"), crd);
    }
  }

  private WeftException wrong(String what, String expected, Object found) {
    return new WeftException(
        ErrorCode.CORRUPT_INPUT,
        container.uri()
            + ": "
            + what
            + ": expected "
            + expected
            + ", found "
            + found
            + " although check sums agree; its writer was at fault, write the tensor again");
  }
}
