package org.weft.memory;

/**
 * Where off-heap bytes come from. Blocks are aligned to 64 bytes and not zeroed. Implementations
 * are thread-safe.
 */
public interface MemorySource {
  /** Alignment of every block, in bytes: a cache line, and a full AVX-512 register. */
  int ALIGNMENT = 64;

  /**
   * Allocates {@code bytes > 0}.
   *
   * @throws org.weft.error.WeftException {@code OUT_OF_MEMORY} if the source is exhausted
   */
  long allocate(long bytes);

  /** Frees a block that {@link #allocate} returned for the same {@code bytes}. */
  void free(long address, long bytes);

  /** The process's own allocator. */
  static MemorySource system() {
    return SystemMemorySource.INSTANCE;
  }

  /**
   * Tells the system that nobody needs what a block of {@link #system()} holds: it may take the
   * pages where memory is short. The block stays allocated, and has any content from here on.
   */
  static void unused(long address, long bytes) {
    SystemMemorySource.INSTANCE.unused(address, bytes);
  }
}
