package org.weft.memory;

/**
 * Tells the system which pages suit a large block, and which it may have back. Implemented by the
 * layer above, which may call the system, and found by {@code ServiceLoader}; without one, blocks
 * have ordinary pages.
 */
public interface PageAdvice {
  /** The block at {@code address} has just been reserved, is large, and will be used as a whole. */
  void largeBlock(long address, long bytes);

  /** What the block holds is not needed: its pages are the system's if it runs short of some. */
  void unused(long address, long bytes);
}
