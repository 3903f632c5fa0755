package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Which cells a format stores for given entries. Written against the definition of the formats,
 * level by level, for tests.
 */
final class StoredStructure {
  private final TensorFormat format;
  private final TensorShape shape;
  private final BitSet stored = new BitSet();

  private StoredStructure(TensorFormat format, TensorShape shape) {
    this.format = format;
    this.shape = shape;
  }

  /**
   * The cells stored when {@code entries} are present: full levels add all their coordinates. Cells
   * have the numbers of {@link SampleTensor}.
   */
  static BitSet of(TensorFormat format, TensorShape shape, BitSet entries) {
    StoredStructure structure = new StoredStructure(format, shape);
    List<long[]> present = new ArrayList<>();
    entries.stream().forEach(cell -> present.add(SampleTensor.coordinates(shape, cell)));
    if (format.isOrdinary()) {
      structure.descend(present, 0, new long[shape.order()]);
    } else {
      structure.pack(present);
    }
    return structure.stored;
  }

  /** Structured formats: the cells that packing them stores. */
  private void pack(List<long[]> entries) {
    CooBlock.Builder block = new CooBlock.Builder(shape.order(), entries.size());
    entries.forEach(entry -> block.add(entry, 1));
    MemoryScope scope = MemoryScope.root("structure", MemorySource.system());
    try (TensorStorage storage = Packing.pack(scope, shape, format, List.of(block.build()))) {
      storage.forEachEntry((at, value) -> stored.set(SampleTensor.cell(shape, at)));
    } finally {
      scope.close();
    }
  }

  private void descend(List<long[]> entries, int level, long[] cell) {
    if (level == format.order()) {
      stored.set(SampleTensor.cell(shape, cell));
      return;
    }
    int mode = format.modeOf(level);
    boolean full = format.level(level).properties().full();
    List<List<long[]>> below = new ArrayList<>();
    for (long c = 0; c < shape.size(mode); c++) {
      below.add(new ArrayList<>());
    }
    entries.forEach(entry -> below.get((int) entry[mode]).add(entry));
    for (int c = 0; c < below.size(); c++) {
      if (full || !below.get(c).isEmpty()) {
        cell[mode] = c;
        descend(below.get(c), level + 1, cell);
      }
    }
  }
}
