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
}
