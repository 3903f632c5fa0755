package org.weft.compiler.convert;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.lower.LoweredKernel;
import org.weft.memory.MemoryScope;
import org.weft.runtime.BoundKernel;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Compiles kernels and calls them over stored tensors. A request that came lately is neither
 * lowered nor looked up again.
 */
public final class KernelCalls {
  private final TensorCompiler compiler;
  private final int threads;
  private final Recent<Object, Kernel> kernels = new Recent<>();

  /** Calls that use at most {@code threads} threads; {@code compiler} stays the caller's. */
  public KernelCalls(TensorCompiler compiler, int threads) {
    this.compiler = compiler;
    this.threads = threads;
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
    return kernel.evaluate(parent, operands, shape, previous, threads);
  }

  private Kernel compile(LoweredKernel lowered) {
    KernelImage image = compiler.compile(lowered);
    try (KernelLibrary library = KernelLibrary.open(image)) {
      return Kernel.of(library, image.kernels().get(0));
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
}
