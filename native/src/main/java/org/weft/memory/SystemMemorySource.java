package org.weft.memory;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.service.Providers;
import org.weft.text.Bytes;

/**
 * malloc with alignment: the address that malloc returned is kept just below the block. Blocks from
 * 1 MiB on start with a huge page and end with one if they fill half of it, where the system allows
 * ({@link PageAdvice}): small pages of fresh memory come at a fraction of the speed. A large block
 * is refused when the machine does not have it: Linux would grant it and kill the process later.
 */
final class SystemMemorySource implements MemorySource {
  static final SystemMemorySource INSTANCE = new SystemMemorySource();

  private static final long LARGE = 256L << 20;

  private static final long HUGE_PAGE = 2L << 20;

  /** Less of a huge page is not worth the rest of it. */
  private static final long WORTH_A_PAGE = 1L << 20;

  private static final List<PageAdvice> ADVICE = Providers.of(PageAdvice.class);

  private SystemMemorySource() {}

  @Override
  public long allocate(long bytes) {
    if (bytes >= LARGE) {
      requireAvailable(bytes);
    }
    boolean pages = bytes >= WORTH_A_PAGE && !ADVICE.isEmpty();
    long alignment = pages ? HUGE_PAGE : ALIGNMENT;
    long base;
    try {
      // Reserved and never touched, these bytes are no memory.
      long spare = alignment + (pages ? HUGE_PAGE : ALIGNMENT);
      base = NativeMemory.allocate(Math.addExact(bytes, spare));
    } catch (OutOfMemoryError | IllegalArgumentException | ArithmeticException e) {
      throw outOfMemory(bytes, "", e);
    }
    long address = (base + ALIGNMENT + alignment - 1) & -alignment;
    NativeMemory.putLong(address - Long.BYTES, base);
    if (pages) {
      long whole = (bytes + HUGE_PAGE - WORTH_A_PAGE) & -HUGE_PAGE;
      ADVICE.forEach(advice -> advice.largeBlock(address, whole));
    }
    return address;
  }

  private static void requireAvailable(long bytes) {
    long available = MachineMemory.availableBytes();
    if (bytes > available) {
      throw outOfMemory(
          bytes, " of which this machine has " + Bytes.text(available) + " available", null);
    }
  }

  private static WeftException outOfMemory(long bytes, String detail, @Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.OUT_OF_MEMORY,
        "cannot allocate "
            + Bytes.text(bytes)
            + " off the heap"
            + detail
            + "; use a sparser format, more partitions or a larger machine",
        cause);
  }

  @Override
  public void free(long address, long bytes) {
    NativeMemory.free(NativeMemory.getLong(address - Long.BYTES));
  }

  /** Lets the system have the pages of a block that waits for its next user. */
  void unused(long address, long bytes) {
    ADVICE.forEach(advice -> advice.unused(address, bytes));
  }
}
