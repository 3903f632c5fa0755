package org.weft.compiler;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.lower.LoweredKernel;
import org.weft.compiler.lower.Lowering;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.KernelImage;

/**
 * Compiles tensor expressions to native kernels. A driver has one compiler, which several threads
 * may use. Executors need none.
 *
 * <p>Compiled libraries stay in memory until {@link #close}, and in the cache directory of the
 * options for other processes. A library found on disk takes less than 1 ms and does not load LLVM.
 * A new library takes about 100 ms. The first one also takes the time to load LLVM.
 */
public final class TensorCompiler implements AutoCloseable {
  private final LibraryCompiler libraries;
  private volatile boolean closed;

  private TensorCompiler(CompilerOptions options) {
    libraries = new LibraryCompiler(options);
  }

  /**
   * @throws WeftException UNSUPPORTED_PLATFORM or USAGE for options that name no CPU level or
   *     optimisation level of the compiler
   */
  public static TensorCompiler create(CompilerOptions options) {
    return new TensorCompiler(options);
  }

  /**
   * Compiles the requests to one library whose kernels are in the order of the requests.
   *
   * @param requests at least one, with different symbols
   * @throws WeftException INVALID_EXPRESSION, INVALID_FORMAT, SHAPE_MISMATCH or
   *     UNSUPPORTED_OPERATION for a request that means nothing or cannot be compiled;
   *     COMPILER_FAILURE for a bug in the compiler
   */
  public KernelImage compile(List<KernelRequest> requests) {
    if (requests.isEmpty()) {
      throw new WeftException(ErrorCode.USAGE, "expected at least one kernel to compile, found 0");
    }
    Set<String> symbols = new HashSet<>();
    for (KernelRequest request : requests) {
      if (!symbols.add(request.symbol())) {
        throw new WeftException(
            ErrorCode.USAGE,
            "expected kernels with different symbols, found '"
                + request.symbol()
                + "' twice; rename one");
      }
    }
    requireOpen();
    return libraries.compile(requests, request -> lower(request).function());
  }

  /** Compiles a kernel that is lowered already to a library of one kernel. */
  public KernelImage compile(LoweredKernel lowered) {
    requireOpen();
    return libraries.compile(List.of(lowered.function()));
  }

  /** A kernel that is lowered already, at every stage of the pipeline, as text. */
  public Explanation explain(LoweredKernel lowered) {
    LoopFunction function = libraries.guarded(lowered.function());
    return new Explanation(function, lowered.stages(), libraries.generator());
  }

  /** The kernel at every stage of the pipeline, as text. */
  public Explanation explain(KernelRequest request) {
    return explain(lower(request));
  }

  /** Width of the vector registers that kernels are compiled for, in bits. */
  public int vectorBits() {
    return libraries.vectorBits();
  }

  /** What this compiler has done so far. */
  public CompileStatistics statistics() {
    return libraries.statistics();
  }

  private LoweredKernel lower(KernelRequest request) {
    requireOpen();
    long start = System.nanoTime();
    LoweredKernel lowered = Lowering.lower(request);
    libraries.spent(LibraryCompiler.LOWER, System.nanoTime() - start);
    return lowered;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the compiler is closed");
    }
  }

  /** Forgets the libraries in memory; images handed out stay valid. */
  @Override
  public void close() {
    if (closed) {
      throw new IllegalStateException("the compiler is closed twice");
    }
    closed = true;
    libraries.forget();
  }
}
