package org.weft.compiler.lower;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Which cells a format stores for given entries, and whether arrays are what the format says.
 * Written against the definition of the formats, level by level, for tests.
 */
final class StoredStructure {
  private StoredStructure() {}

  /** The cells stored when {@code entries} are present: full levels add all their coordinates. */
  static Set<List<Long>> of(
      TensorFormat format, TensorShape shape, Collection<List<Long>> entries) {
    Set<List<Long>> stored = new TreeSet<>(SampleTensor::compare);
    if (!format.isOrdinary()) {
      packed(format, shape, entries, stored);
      return stored;
    }
    Long[] cell = new Long[shape.order()];
    descend(format, shape, entries, 0, cell, stored);
    return stored;
  }

  /** Structured formats: the cells that packing them stores. */
  private static void packed(
      TensorFormat format,
      TensorShape shape,
      Collection<List<Long>> entries,
      Set<List<Long>> stored) {
    CooBlock.Builder block = new CooBlock.Builder(shape.order(), entries.size());
    entries.forEach(entry -> block.add(entry.stream().mapToLong(c -> c).toArray(), 1));
    MemoryScope scope = MemoryScope.root("structure", MemorySource.system());
    try (TensorStorage storage = Packing.pack(scope, shape, format, List.of(block.build()))) {
      storage.forEachEntry((at, value) -> stored.add(Arrays.stream(at).boxed().toList()));
    } finally {
      scope.close();
    }
  }

  private static void descend(
      TensorFormat format,
      TensorShape shape,
      Collection<List<Long>> entries,
      int level,
      Long[] cell,
      Set<List<Long>> stored) {
    if (level == format.order()) {
      stored.add(List.of(cell));
      return;
    }
    int mode = format.modeOf(level);
    Map<Long, Set<List<Long>>> children = new HashMap<>();
    if (format.level(level).properties().full()) {
      for (long c = 0; c < shape.size(mode); c++) {
        children.put(c, new HashSet<>());
      }
    }
    for (List<Long> entry : entries) {
      children.computeIfAbsent(entry.get(mode), c -> new HashSet<>()).add(entry);
    }
    children.forEach(
        (coordinate, below) -> {
          cell[mode] = coordinate;
          descend(format, shape, below, level + 1, cell, stored);
        });
  }

  /** Explains the first violation of the format's invariants in {@code storage}, or "". */
  static String violation(TensorStorage storage) {
    long parents = 1;
    TensorFormat format = storage.format();
    for (int level = 0; level < format.order(); level++) {
      long positions = storage.positions(level);
      long size = storage.shape().size(format.modeOf(level));
      String where = "level " + (level + 1) + " of " + storage + ": ";
      String symbol = format.level(level).format().symbol();
      if (symbol.equals("D")) {
        if (positions != parents * size) {
          return where + positions + " positions, expected " + parents * size;
        }
      } else if (symbol.equals("S") && positions != parents) {
        return where + positions + " positions, expected " + parents;
      } else if (storage.hasPos(level)) {
        String pos = pos(storage.pos(level), parents, positions);
        if (!pos.isEmpty()) {
          return where + pos;
        }
      }
      String crd = storage.hasCrd(level) ? crd(storage, level, parents, positions, size) : "";
      if (!crd.isEmpty()) {
        return where + crd;
      }
      parents = positions;
    }
    return storage.vals().length() == parents
        ? ""
        : storage.vals().length() + " values for " + parents + " positions";
  }

  private static String pos(NativeArray pos, long parents, long positions) {
    if (pos.length() != parents + 1) {
      return "pos has " + pos.length() + " entries, expected " + (parents + 1);
    }
    if (pos.getLong(0) != 0 || pos.getLong(parents) != positions) {
      return "pos runs from " + pos.getLong(0) + " to " + pos.getLong(parents);
    }
    for (long p = 0; p < parents; p++) {
      if (pos.getLong(p) > pos.getLong(p + 1)) {
        return "pos decreases at " + p;
      }
    }
    return "";
  }

  private static String crd(
      TensorStorage storage, int level, long parents, long positions, long size) {
    NativeArray crd = storage.crd(level);
    if (crd.length() != positions) {
      return "crd has " + crd.length() + " entries, expected " + positions;
    }
    for (long q = 0; q < positions; q++) {
      if (crd.getLong(q) < 0 || crd.getLong(q) >= size) {
        return "coordinate " + crd.getLong(q) + " at " + q;
      }
    }
    boolean unique = storage.format().level(level).format().symbol().equals("CU");
    for (long p = 0; unique && p < parents; p++) {
      long end = storage.pos(level).getLong(p + 1);
      for (long q = storage.pos(level).getLong(p) + 1; q < end; q++) {
        if (crd.getLong(q - 1) >= crd.getLong(q)) {
          return "coordinates do not increase at " + q;
        }
      }
    }
    return "";
  }
}
