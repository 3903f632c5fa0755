package org.weft.runtime;

import com.google.auto.service.AutoService;
import org.weft.memory.PageAdvice;

/**
 * Huge pages for tensors and factor matrices: rows that a kernel reads here and there cost fewer
 * misses of the address cache, and fresh memory fewer faults. Where the system's setting is {@code
 * never} or huge pages have run out, small ones do.
 */
@AutoService(PageAdvice.class)
public final class HugePages implements PageAdvice {
  @Override
  public void largeBlock(long address, long bytes) {
    NativeRuntime.advise(address, bytes);
  }

  @Override
  public void unused(long address, long bytes) {
    NativeRuntime.giveBack(address, bytes);
  }
}
