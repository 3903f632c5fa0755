package org.weft.compiler.convert;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.lower.LoweredKernel;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** Compiles a lowered kernel and calls it over stored tensors. */
public final class KernelCall {
  private final TensorCompiler compiler;
  private final int threads;

  /** Calls that use at most {@code threads} threads; {@code compiler} stays the caller's. */
  public KernelCall(TensorCompiler compiler, int threads) {
    this.compiler = compiler;
    this.threads = threads;
  }

  /**
   * The result of {@code lowered}, in a child of {@code parent}.
   *
   * @param operands by name; borrowed
   * @param previous what a result in dense storage holds before, null for zeros; borrowed
   * @throws org.weft.error.WeftException {@code OUT_OF_MEMORY}, {@code WIDTH_OVERFLOW}; then
   *     nothing stays allocated
   */
  public TensorStorage run(
      MemoryScope parent,
      LoweredKernel lowered,
      Map<String, TensorStorage> operands,
      TensorShape shape,
      @Nullable TensorStorage previous) {
    KernelImage image = compiler.compile(lowered);
    try (KernelLibrary library = KernelLibrary.open(image)) {
      Kernel kernel = Kernel.of(library, image.kernels().get(0));
      TensorParameter result = kernel.signature().tensors().get(0);
      String name = result.name();
      if (result.role() == TensorParameter.Role.OUTPUT_SPARSE) {
        return Objects.requireNonNull(
            kernel.run(operands, Map.of(name, shape), parent, threads).get(name));
      }
      TensorStorage filled = filled(parent, shape, result.format(), previous);
      try {
        Map<String, TensorStorage> bound = new HashMap<>(operands);
        bound.put(name, filled);
        kernel.run(bound, Map.of(), parent, threads);
        return filled;
      } catch (RuntimeException e) {
        filled.close();
        throw e;
      }
    }
  }

  /** A tensor of full levels with the values of {@code previous}, or zeros. */
  private static TensorStorage filled(
      MemoryScope parent,
      TensorShape shape,
      TensorFormat format,
      @Nullable TensorStorage previous) {
    MemoryScope scope = parent.child("result " + shape);
    try {
      long[] positions = new long[format.levelCount()];
      long cells = 1;
      for (int level = 0; level < positions.length; level++) {
        cells = Math.multiplyExact(cells, format.levelSize(shape, level));
        positions[level] = cells;
      }
      NativeArray values = scope.allocate(format.valueType().elementType(), cells);
      if (previous != null) {
        NativeMemory.copy(previous.vals().address(), values.address(), values.byteSize());
      }
      @Nullable NativeArray[] none = new NativeArray[positions.length];
      return TensorStorage.ofArrays(scope, shape, format, positions, none, none, values);
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }
}
