package org.weft.storage.container;

import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * One part as a stored tensor. Check sums tell damage; that positions ascend and coordinates lie
 * inside their modes is looked at besides, because kernels believe them.
 */
final class PartReader {
  private final Container container;
  private final ArrayReader arrays;

  PartReader(Container container, ArrayReader arrays) {
    this.container = container;
    this.arrays = arrays;
  }

  /** Whether two formats differ in widths and value type at most. */
  static boolean sameLevels(TensorFormat stored, TensorFormat wanted) {
    if (stored.levelCount() != wanted.levelCount()
        || !java.util.Arrays.equals(stored.modeOrder(), wanted.modeOrder())) {
      return false;
    }
    for (int level = 0; level < stored.levelCount(); level++) {
      LevelSpec a = stored.level(level);
      LevelSpec b = wanted.level(level);
      if (!a.format().symbol().equals(b.format().symbol())
          || !a.properties().equals(b.properties())
          || !stored.coordinate(level).equals(wanted.coordinate(level))) {
        return false;
      }
    }
    return true;
  }

  TensorStorage load(
      MemoryScope parent, int part, TensorFormat wanted, TensorShape shape, long rootOffset) {
    if (!sameLevels(container.format(), wanted)) {
      throw new IllegalArgumentException(container.format() + " is not stored as " + wanted);
    }
    MemoryScope scope = parent.child("part " + part + " of " + container.uri());
    try {
      return load(scope, container.manifest().parts().get(part), part, wanted, shape, rootOffset);
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
      long rootOffset) {
    int count = wanted.levelCount();
    requireEntries(wanted, part, number);
    long[] positions = new long[count];
    @Nullable NativeArray[] pos = new NativeArray[count];
    @Nullable NativeArray[] crd = new NativeArray[count];
    long parents = 1;
    for (int level = 0; level < count; level++) {
      Manifest.LevelEntry entry = part.levels().get(level);
      LevelSpec spec = wanted.level(level);
      String what = "part " + number + ", level " + (level + 1);
      positions[level] = entry.positions();
      requireStructure(wanted, shape, level, entry, parents, what);
      if (entry.pos() != null) {
        pos[level] = arrays.read(scope, entry.pos(), what + ", pos", spec.posWidth().elementType());
        requireSegments(pos[level], entry.positions(), what);
      }
      if (entry.crd() != null) {
        NativeArray read =
            arrays.read(scope, entry.crd(), what + ", crd", spec.crdWidth().elementType());
        if (level == 0 && rootOffset != 0) {
          for (long p = 0; p < read.length(); p++) {
            read.setLong(p, read.getLong(p) - rootOffset);
          }
        }
        requireBelow(read, wanted.levelSize(shape, level), what);
        crd[level] = read;
      }
      parents = entry.positions();
    }
    if (part.values().length() != parents) {
      throw wrong("part " + number, parents + " values", part.values().length());
    }
    NativeArray values =
        arrays.read(
            scope, part.values(), "part " + number + ", values", wanted.valueType().elementType());
    return TensorStorage.ofArrays(scope, shape, wanted, positions, pos, crd, values);
  }

  /** A value for every entry, and for nothing else unless the last level is dense. */
  private void requireEntries(TensorFormat format, Manifest.Part part, int number) {
    long values = part.values().length();
    boolean padded = format.level(format.levelCount() - 1).format().symbol().equals("D");
    if (part.entries() > values || (!padded && part.entries() != values)) {
      throw wrong("part " + number, part.entries() + " values", values);
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
      throw wrong(what, children + " coordinates", crd);
    }
  }

  private void requireSegments(@Nullable NativeArray pos, long positions, String what) {
    if (pos == null) {
      return;
    }
    if (pos.getLong(0) != 0 || pos.getLong(pos.length() - 1) != positions) {
      throw wrong(what, "bounds from 0 to " + positions, pos.getLong(pos.length() - 1));
    }
    long last = 0;
    long descents = 0;
    long at = pos.address();
    long end = at + pos.byteSize();
    switch (pos.type()) {
      case U8 -> {
        for (; at < end; at++) {
          long next = NativeMemory.getByte(at) & 0xFFL;
          descents |= next - last;
          last = next;
        }
      }
      case U16 -> {
        for (; at < end; at += 2) {
          long next = NativeMemory.getShort(at) & 0xFFFFL;
          descents |= next - last;
          last = next;
        }
      }
      case U32 -> {
        for (; at < end; at += 4) {
          long next = NativeMemory.getInt(at) & 0xFFFF_FFFFL;
          descents |= next - last;
          last = next;
        }
      }
      default -> {
        for (; at < end; at += 8) {
          long next = NativeMemory.getLong(at);
          descents |= next - last | next;
          last = next;
        }
      }
    }
    if (descents < 0) {
      throw wrong(what, "ascending bounds", -1);
    }
  }

  private void requireBelow(NativeArray crd, long size, String what) {
    long excess = 0;
    long largest = size - 1;
    long at = crd.address();
    long end = at + crd.byteSize();
    switch (crd.type()) {
      case U8 -> {
        for (; at < end; at++) {
          excess |= largest - (NativeMemory.getByte(at) & 0xFFL);
        }
      }
      case U16 -> {
        for (; at < end; at += 2) {
          excess |= largest - (NativeMemory.getShort(at) & 0xFFFFL);
        }
      }
      case U32 -> {
        for (; at < end; at += 4) {
          excess |= largest - (NativeMemory.getInt(at) & 0xFFFF_FFFFL);
        }
      }
      default -> {
        for (; at < end; at += 8) {
          long coordinate = NativeMemory.getLong(at);
          excess |= largest - coordinate | coordinate;
        }
      }
    }
    if (excess < 0) {
      throw wrong(what, "coordinates below " + size, size);
    }
  }

  private WeftException wrong(String what, String expected, long found) {
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
