package org.weft.memory;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.weft.error.WeftException;

/**
 * Memory for work that takes and gives back large blocks of about the same sizes. A block that was
 * given back serves the next request that it suits: the system gives fresh pages more slowly than
 * most work fills them. There are never more blocks than were in use at a time, and after closing
 * there are none but those in use. Thread-safe.
 */
public final class ReusedMemory implements MemorySource, AutoCloseable {
  /** Smaller blocks are not kept: they share pages, which stay with the process anyway. */
  private static final long LEAST_KEPT = 1L << 20;

  /** A new block is an eighth larger than the request, so that it suits larger ones later. */
  private static final int SPARE_PART = 8;

  /** A block of more than twice the request does not suit it. */
  private static final int MOST_TIMES = 2;

  private final MemorySource source;
  private final Map<Long, Long> sizes = new HashMap<>(); // of the blocks in use, by address
  private final TreeMap<Long, Long> kept = new TreeMap<>(); // addresses by size
  private boolean closed;

  /** Blocks of another source. */
  public ReusedMemory(MemorySource source) {
    this.source = source;
  }

  @Override
  public synchronized long allocate(long bytes) {
    if (bytes < LEAST_KEPT) {
      return source.allocate(bytes);
    }
    Map.Entry<Long, Long> suits = kept.ceilingEntry(bytes);
    if (suits != null && suits.getKey() / MOST_TIMES <= bytes) {
      kept.remove(suits.getKey());
      sizes.put(suits.getValue(), suits.getKey());
      return suits.getValue();
    }
    Map.Entry<Long, Long> other = kept.pollFirstEntry();
    if (other != null) {
      source.free(other.getValue(), other.getKey());
    }
    try {
      return allocateLarger(bytes);
    } catch (WeftException e) {
      giveBack();
      return source.allocate(bytes); // no larger than asked for, and not kept later
    }
  }

  private long allocateLarger(long bytes) {
    long size = bytes + bytes / SPARE_PART;
    while (kept.containsKey(size) || sizes.containsValue(size)) {
      size += ALIGNMENT; // each block is known by its size
    }
    long address = source.allocate(size);
    sizes.put(address, size);
    return address;
  }

  @Override
  public synchronized void free(long address, long bytes) {
    Long size = sizes.remove(address);
    if (size == null || closed) {
      source.free(address, size == null ? bytes : size);
    } else {
      kept.put(size, address);
    }
  }

  private void giveBack() {
    kept.forEach((size, address) -> source.free(address, size));
    kept.clear();
  }

  /** Gives back the blocks that are not in use, and each other one when it is freed. */
  @Override
  public synchronized void close() {
    closed = true;
    giveBack();
  }
}
