package org.weft.memory;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The system's memory for work that takes and gives back large blocks of about the same sizes: a
 * block that was given back serves the next one that it suits, because the system gives fresh pages
 * more slowly than most work fills them. There are never more blocks than were in use at a time,
 * and none that is not in use after closing. Thread-safe.
 */
public final class ReusedMemory implements MemorySource, AutoCloseable {
  /** Smaller blocks share pages, which the process keeps anyway. */
  private static final long LEAST_KEPT = 1L << 20;

  /** A block has room for a part more than was asked for, so that it suits the next one. */
  private static final int SPARE_PART = 8;

  /** A block serves for no less than such a part of it. */
  private static final int LEAST_PART = 2;

  private final Map<Long, Long> sizes = new HashMap<>(); // of the blocks in use, by address
  private final TreeMap<Long, Long> kept = new TreeMap<>(); // addresses by size
  private boolean closed;

  @Override
  public synchronized long allocate(long bytes) {
    if (bytes < LEAST_KEPT) {
      return MemorySource.system().allocate(bytes);
    }
    Map.Entry<Long, Long> suits = kept.ceilingEntry(bytes);
    if (suits != null && suits.getKey() / LEAST_PART <= bytes) {
      kept.remove(suits.getKey());
      sizes.put(suits.getValue(), suits.getKey());
      return suits.getValue();
    }
    Map.Entry<Long, Long> other = kept.pollFirstEntry();
    if (other != null) {
      MemorySource.system().free(other.getValue(), other.getKey());
    }
    long size = bytes + bytes / SPARE_PART;
    while (kept.containsKey(size) || sizes.containsValue(size)) {
      size += ALIGNMENT; // each block is known by its size
    }
    long address = MemorySource.system().allocate(size);
    sizes.put(address, size);
    return address;
  }

  @Override
  public synchronized void free(long address, long bytes) {
    Long size = sizes.remove(address);
    if (size == null || closed) {
      MemorySource.system().free(address, size == null ? bytes : size);
    } else {
      kept.put(size, address);
    }
  }

  /** Gives back the blocks that are not in use, and each other one when it is freed. */
  @Override
  public synchronized void close() {
    closed = true;
    kept.forEach((size, address) -> MemorySource.system().free(address, size));
    kept.clear();
  }
}
