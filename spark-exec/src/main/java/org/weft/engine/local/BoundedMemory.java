package org.weft.engine.local;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemorySource;
import org.weft.text.Bytes;

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

  /** Bytes that may be in use. */
  long limit() {
    return limit;
  }

  /** As {@link #allocate}, but 0 where that would not leave {@code kept} bytes. */
  long allocateBeside(long bytes, long kept) {
    long before;
    do {
      before = used.get();
      if (before + bytes > limit - kept) {
        return 0;
      }
    } while (!used.compareAndSet(before, before + bytes));
    return fromSystem(bytes);
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
              "%s more off-heap memory are needed, but %s of %s are in use; give"
                  + " more (--memory), a machine with more, a smaller Java heap"
                  + " (WEFT_JAVA_OPTS=-Xmx...), or several machines (--master)",
              Bytes.text(bytes),
              Bytes.text(before),
              Bytes.text(limit)));
    }
    return fromSystem(bytes);
  }

  /** Memory for bytes that are counted. */
  private long fromSystem(long bytes) {
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
