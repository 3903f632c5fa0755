package org.weft.engine.local;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemorySource;

/** Off-heap memory of this process up to a limit. Thread-safe. */
final class BoundedMemory implements MemorySource {
  private final long limit;
  private final AtomicLong used = new AtomicLong();

  /**
   * @param limit bytes
   */
  BoundedMemory(long limit) {
    this.limit = limit;
  }

  @Override
  public long allocate(long bytes) {
    long before = used.getAndAdd(bytes);
    if (before + bytes > limit) {
      used.addAndGet(-bytes);
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          String.format(
              Locale.ROOT,
              "%.3g GiB more off-heap memory are needed, but %.3g of %.3g GiB are in use; give a"
                  + " machine with more memory, a smaller Java heap (WEFT_JAVA_OPTS=-Xmx...), or"
                  + " several machines (--master)",
              bytes / (double) (1L << 30),
              before / (double) (1L << 30),
              limit / (double) (1L << 30)));
    }
    try {
      return MemorySource.system().allocate(bytes);
    } catch (WeftException e) {
      used.addAndGet(-bytes);
      throw e;
    }
  }

  @Override
  public void free(long address, long bytes) {
    MemorySource.system().free(address, bytes);
    used.addAndGet(-bytes);
  }

  /** Bytes in use. */
  long used() {
    return used.get();
  }
}
