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

  /** Shuffles the segments of the last level if it is compressed and declared unordered. */
  static void shuffle(TensorStorage storage, long seed) {
    TensorFormat format = storage.format();
    int last = format.levelCount() - 1;
    if (last < 0
        || format.level(last).properties().ordered()
        || !format.level(last).format().symbol().equals("CU")) {
      return;
    }
    Random random = new Random(seed);
    NativeArray pos = storage.pos(last);
    NativeArray crd = storage.crd(last);
    for (long parent = 0; parent + 1 < pos.length(); parent++) {
      List<Long> positions = new ArrayList<>();
      for (long p = pos.getLong(parent); p < pos.getLong(parent + 1); p++) {
        positions.add(p);
      }
      for (int at = positions.size() - 1; at > 0; at--) {
        swap(storage, crd, positions.get(at), positions.get(random.nextInt(at + 1)));
      }
    }
  }

  private static void swap(TensorStorage storage, NativeArray crd, long a, long b) {
    long coordinate = crd.getLong(a);
    crd.setLong(a, crd.getLong(b));
    crd.setLong(b, coordinate);
    NativeArray values = storage.vals();
    double value = values.getDouble(a);
    values.setDouble(a, values.getDouble(b));
    values.setDouble(b, value);
  }
}
