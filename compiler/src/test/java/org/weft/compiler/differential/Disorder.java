package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.weft.memory.NativeArray;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * Puts the entries of unordered segments in another order: packing sorts, so that a level declared
 * unordered would never be.
 */
final class Disorder {
  private Disorder() {}

  /**
   * Shuffles the segments of the last compressed level, if it is declared unordered and all below
   * it are branchless.
   */
  static void shuffle(TensorStorage storage, long seed) {
    TensorFormat format = storage.format();
    int first = format.levelCount() - 1;
    while (first > 0 && format.level(first).properties().branchless()) {
      first--;
    }
    if (first < 0
        || format.level(first).properties().ordered()
        || !List.of("CU", "CN").contains(format.level(first).format().symbol())) {
      return;
    }
    Random random = new Random(seed);
    NativeArray pos = storage.pos(first);
    for (long parent = 0; parent + 1 < pos.length(); parent++) {
      List<Long> positions = new ArrayList<>();
      for (long p = pos.getLong(parent); p < pos.getLong(parent + 1); p++) {
        positions.add(p);
      }
      for (int at = positions.size() - 1; at > 0; at--) {
        swap(storage, first, positions.get(at), positions.get(random.nextInt(at + 1)));
      }
    }
  }

  private static void swap(TensorStorage storage, int first, long a, long b) {
    for (int level = first; level < storage.format().levelCount(); level++) {
      NativeArray crd = storage.crd(level);
      long coordinate = crd.getLong(a);
      crd.setLong(a, crd.getLong(b));
      crd.setLong(b, coordinate);
    }
    NativeArray values = storage.vals();
    double value = values.getDouble(a);
    values.setDouble(a, values.getDouble(b));
    values.setDouble(b, value);
  }
}
