package org.weft.compiler.loop;

import java.util.List;
import org.weft.runtime.KernelSignature;

/**
 * One kernel: {@code void symbol(const int64_t *args)}. Inputs are borrowed for the call. Arrays of
 * sparse outputs are allocated through the runtime and owned by the caller after status 0; after
 * any other status the kernel has released them and their slots are as they were at entry.
 *
 * @param buffers buffers that live in slots; workspaces are introduced by {@link
 *     Stmt.AllocateWorkspace}
 * @param tiled whether its inner loops are vectors over tiles of fixed size, in which an optimiser
 *     has little to find
 */
public record LoopFunction(
    KernelSignature signature, List<BufferBinding> buffers, Stmt body, boolean tiled) {
  public LoopFunction {
    buffers = List.copyOf(buffers);
  }

  /** One without tiles. */
  public LoopFunction(KernelSignature signature, List<BufferBinding> buffers, Stmt body) {
    this(signature, buffers, body, false);
  }

  /** The same with another signature. */
  public LoopFunction withSignature(KernelSignature other) {
    return new LoopFunction(other, buffers, body, tiled);
  }

  public String symbol() {
    return signature.symbol();
  }
}
