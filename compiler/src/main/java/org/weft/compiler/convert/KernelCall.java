package org.weft.compiler.convert;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.lower.LoweredKernel;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.runtime.BoundKernel;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Compiles kernels and calls them over stored tensors. A request that came lately is neither
 * lowered nor looked up again.
 */
public final class KernelCall {
  private final TensorCompiler compiler;
  private final int threads;
  private final boolean reproducible;
  private final Recent<Object, Kernel> kernels = new Recent<>();

  /**
   * Calls that use at most {@code threads} threads; {@code compiler} stays the caller's.
   *
   * @param reproducible whether results are the same bits for every number of threads
   */
  public KernelCall(TensorCompiler compiler, int threads, boolean reproducible) {
    this.compiler = compiler;
    this.threads = threads;
    this.reproducible = reproducible;
  }

  /**
   * The result of a kernel, in a child of {@code parent}.
   *
   * @param request what the kernel is for: equal requests are lowered to equal kernels
   * @param lower makes the kernel of the request
   * @param operands by name; borrowed
   * @param previous what a result in dense storage holds before, null for zeros; borrowed
   * @throws org.weft.error.WeftException {@code OUT_OF_MEMORY}, {@code WIDTH_OVERFLOW}; then
   *     nothing stays allocated
   */
  public TensorStorage run(
      MemoryScope parent,
      Object request,
      Supplier<LoweredKernel> lower,
      Map<String, TensorStorage> operands,
      TensorShape shape,
      @Nullable TensorStorage previous) {
    Kernel kernel = kernels.get(request, key -> compile(lower.get()));
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

  private Kernel compile(LoweredKernel lowered) {
    KernelImage image = compiler.compile(lowered);
    try (KernelLibrary library = KernelLibrary.open(image)) {
      Kernel kernel = Kernel.of(library, image.kernels().get(0));
      return reproducible ? kernel.reproducible() : kernel;
    }
  }

  /**
   * A kernel that fills {@code result}, which is in dense storage.
   *
   * @param request what tells the kernel from others
   * @param lower makes it, if it is not known yet
   * @param operands by name; borrowed, as the result, until what is returned is closed
   */
  public BoundKernel bind(
      Object request,
      Supplier<LoweredKernel> lower,
      Map<String, TensorStorage> operands,
      TensorStorage result) {
    Kernel kernel = kernels.get(request, key -> compile(lower.get()));
    Map<String, TensorStorage> bound = new HashMap<>(operands);
    bound.put(kernel.signature().tensors().get(0).name(), result);
    return kernel.bind(bound, threads);
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
        cells = TensorShape.positions(cells, format.levelSize(shape, level));
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
