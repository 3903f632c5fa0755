package org.weft.memory;

import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** malloc with alignment: the address that malloc returned is kept just below the block. */
final class SystemMemorySource implements MemorySource {
  static final SystemMemorySource INSTANCE = new SystemMemorySource();

  private SystemMemorySource() {}

  @Override
  public long allocate(long bytes) {
    long base;
    try {
      base = NativeMemory.allocate(Math.addExact(bytes, 2L * ALIGNMENT));
    } catch (OutOfMemoryError | IllegalArgumentException | ArithmeticException e) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          "cannot allocate "
              + bytes
              + " bytes off the heap; use more partitions or a larger machine",
          e);
    }
    long address = (base + 2L * ALIGNMENT - 1) & -ALIGNMENT;
    NativeMemory.putLong(address - Long.BYTES, base);
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    NativeMemory.free(NativeMemory.getLong(address - Long.BYTES));
  }
}
