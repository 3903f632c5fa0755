package org.weft.tensor;

import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of entries that are taken once, one by one: from a queue, or from files as they are asked
 * for. Not thread-safe.
 */
public interface BlockSource {
  /** Entries of all blocks, those that were taken included. */
  long entries();

  /** Whether the values of all blocks are long; false without a block. */
  boolean hasLongValues();

  /** The next block; null behind the last one. */
  @Nullable CooBlock poll();

  /** The blocks of a queue, which are taken from it. */
  static BlockSource of(Queue<CooBlock> blocks) {
    long entries = blocks.stream().mapToLong(CooBlock::size).sum();
    boolean exact = !blocks.isEmpty() && blocks.stream().allMatch(CooBlock::hasLongValues);
    return new BlockSource() {
      @Override
      public long entries() {
        return entries;
      }

      @Override
      public boolean hasLongValues() {
        return exact;
      }

      @Override
      public @Nullable CooBlock poll() {
        return blocks.poll();
      }
    };
  }
}
