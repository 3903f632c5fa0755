package org.weft.memory;

import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * malloc with alignment: the address that malloc returned is kept just below the block. Blocks from
 * 4 MiB on have huge pages where the system allows ({@link PageAdvice}). A large block is refused
 * when the machine does not have it: Linux would grant it and kill the process later.
 */
final class SystemMemorySource implements MemorySource {
  static final SystemMemorySource INSTANCE = new SystemMemorySource();

  private static final long LARGE = 256L << 20;

  /** From here on a block has huge pages inside wherever it starts. */
  private static final long PAGES = 4L << 20;

  private static final List<PageAdvice> ADVICE =
      ServiceLoader.load(PageAdvice.class, PageAdvice.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .toList();

  private SystemMemorySource() {}

  @Override
  public long allocate(long bytes) {
    if (bytes >= LARGE) {
      requireAvailable(bytes);
    }
    long base;
    try {
      base = NativeMemory.allocate(Math.addExact(bytes, 2L * ALIGNMENT));
    } catch (OutOfMemoryError | IllegalArgumentException | ArithmeticException e) {
      throw outOfMemory(bytes, "", e);
    }
    long address = (base + 2L * ALIGNMENT - 1) & -ALIGNMENT;
    NativeMemory.putLong(address - Long.BYTES, base);
    if (bytes >= PAGES) {
      ADVICE.forEach(advice -> advice.largeBlock(address, bytes));
    }
    return address;
  }

  private static void requireAvailable(long bytes) {
    long available = MachineMemory.availableBytes();
    if (bytes > available) {
      throw outOfMemory(bytes, " of which this machine has " + available + " available", null);
    }
  }

  private static WeftException outOfMemory(long bytes, String detail, @Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.OUT_OF_MEMORY,
        "cannot allocate "
            + bytes
            + " bytes off the heap"
            + detail
            + "; use a sparser format, more partitions or a larger machine",
        cause);
  }

  @Override
  public void free(long address, long bytes) {
    NativeMemory.free(NativeMemory.getLong(address - Long.BYTES));
  }
}
