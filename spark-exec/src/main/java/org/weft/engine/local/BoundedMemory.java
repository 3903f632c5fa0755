package org.weft.engine.local;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Locale;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemorySource;
import org.weft.text.Bytes;

/**
 * Off-heap memory of this process up to a limit. Thread-safe.
 *
 * <p>Large blocks that were given back serve those who ask for as many bytes again, as the starts
 * of a decomposition do: fresh pages come slower than kernels write. Blocks in use and kept ones
 * together are never more than were in use before, and without any in use none is kept. Where the
 * machine is short of memory, the system has the pages of kept blocks.
 */
final class BoundedMemory implements MemorySource {
  private static final long LEAST_KEPT = 16L << 20;

  /** A block that is not in use. */
  private record Kept(long address, long bytes) {}

  private final long limit;
  private final Deque<Kept> kept = new ArrayDeque<>(); // oldest first
  private long keptBytes;
  private long used;
  private long mostUsed;

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

  /** As {@link #allocate}, but 0 where that would not leave {@code left} bytes. */
  synchronized long allocateBeside(long bytes, long left) {
    return used + bytes > limit - left ? 0 : obtain(bytes);
  }

  @Override
  public synchronized long allocate(long bytes) {
    if (used + bytes > limit) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          String.format(
              Locale.ROOT,
              "%s more off-heap memory are needed, but %s of %s are in use; give"
                  + " more (--memory), a machine with more, a smaller Java heap"
                  + " (WEFT_JAVA_OPTS=-Xmx...), or several machines (--master)",
              Bytes.text(bytes),
              Bytes.text(used),
              Bytes.text(limit)));
    }
    return obtain(bytes);
  }

  private long obtain(long bytes) {
    long address = keptBlock(bytes);
    if (address == 0) {
      keepAtMost(Math.max(0, mostUsed - used - bytes));
      address = fresh(bytes);
    }
    used += bytes;
    mostUsed = Math.max(mostUsed, used);
    return address;
  }

  private long fresh(long bytes) {
    try {
      return MemorySource.system().allocate(bytes);
    } catch (WeftException e) {
      if (keptBytes == 0) {
        throw e;
      }
      keepAtMost(0);
      return MemorySource.system().allocate(bytes);
    }
  }

  /** A block of so many bytes that was kept, or 0. */
  private long keptBlock(long bytes) {
    for (Iterator<Kept> blocks = kept.iterator(); blocks.hasNext(); ) {
      Kept block = blocks.next();
      if (block.bytes() == bytes) {
        blocks.remove();
        keptBytes -= bytes;
        return block.address();
      }
    }
    return 0;
  }

  private void keepAtMost(long bytes) {
    while (keptBytes > bytes) {
      Kept oldest = kept.remove();
      keptBytes -= oldest.bytes();
      MemorySource.system().free(oldest.address(), oldest.bytes());
    }
  }

  @Override
  public synchronized void free(long address, long bytes) {
    used -= bytes;
    if (bytes < LEAST_KEPT) {
      MemorySource.system().free(address, bytes);
    } else {
      MemorySource.unused(address, bytes);
      kept.add(new Kept(address, bytes));
      keptBytes += bytes;
    }
    if (used == 0) {
      keepAtMost(0);
    }
  }

  /** Bytes in use. */
  synchronized long used() {
    return used;
  }

  /** Bytes of blocks that wait for those who ask for as many. */
  synchronized long keptBytes() {
    return keptBytes;
  }
}
