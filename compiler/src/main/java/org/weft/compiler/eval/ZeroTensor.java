package org.weft.compiler.eval;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** Results that a kernel writes into at any coordinate: allocated and zeroed before it runs. */
final class ZeroTensor {
  private ZeroTensor() {}

  /** A zeroed tensor of full levels that {@code fill} has written into; freed if that throws. */
  static TensorStorage of(
      MemoryScope parent, TensorShape shape, TensorFormat format, Consumer<TensorStorage> fill) {
    MemoryScope scope = parent.child("result " + shape);
    try {
      long[] positions = new long[format.order()];
      long cells = 1;
      for (int level = 0; level < positions.length; level++) {
        cells = Math.multiplyExact(cells, shape.size(format.modeOf(level)));
        positions[level] = cells;
      }
      NativeArray values = scope.allocate(format.valueType().elementType(), cells);
      @Nullable NativeArray[] none = new NativeArray[positions.length];
      TensorStorage storage =
          TensorStorage.ofArrays(scope, shape, format, positions, none, none, values);
      fill.accept(storage);
      return storage;
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }
}
