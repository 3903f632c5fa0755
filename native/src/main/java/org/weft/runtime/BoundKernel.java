package org.weft.runtime;

import org.weft.error.WeftException;

/**
 * A kernel and the tensors that it works on: {@link Kernel#bind}. A run costs a tenth of a
 * microsecond beyond the kernel's own time, where {@link Kernel#run} looks every tensor up. Not
 * thread-safe.
 */
public final class BoundKernel implements AutoCloseable {
  private final long function;
  private final KernelSignature signature;
  private final ArgumentBlock block;
  private boolean closed;

  BoundKernel(long function, KernelSignature signature, ArgumentBlock block) {
    this.function = function;
    this.signature = signature;
    this.block = block;
  }

  /**
   * Runs the kernel to its end.
   *
   * @throws WeftException {@code OUT_OF_MEMORY}, {@code KERNEL_FAILURE}; then what the outputs hold
   *     is unspecified
   * @throws IllegalStateException if this is closed
   */
  public void run() {
    if (closed) {
      throw new IllegalStateException("kernel '" + signature.symbol() + "' is no longer bound");
    }
    block.clearStatus();
    NativeRuntime.invoke(function, block.address());
    KernelStatus.check(signature, block.status(), block.statusDetail());
  }

  /** Whether it does not matter what the outputs hold before a run. */
  public boolean overwrites() {
    return signature.overwrites();
  }

  /** Ends the loan of the tensors. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      block.close();
    }
  }
}
