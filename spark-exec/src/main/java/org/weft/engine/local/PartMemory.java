package org.weft.engine.local;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.memory.MemorySource;
import org.weft.runtime.SpillFile;

/**
 * The memory of one packed partition: that of the process while the budget has room for it, else
 * files on the local disk, mapped. Kernels read both in the same way. What lies in files is read
 * ahead before a kernel needs it ({@link #fetch}), and leaves the process behind it ({@link
 * #evict}), so that a few partitions at a time are resident, however many there are.
 */
final class PartMemory implements MemorySource {
  /** Smaller blocks are not worth a file. */
  private static final long SMALLEST_FILE = 1L << 20;

  private static final long SHARE_OF_BUDGET = 256;

  private final BoundedMemory memory;
  private final long kept;
  private final Map<Long, SpillFile> files = new ConcurrentHashMap<>();

  /**
   * @param kept bytes of the budget that are for what cannot be spilled
   */
  PartMemory(BoundedMemory memory, long kept) {
    this.memory = memory;
    this.kept = kept;
  }

  @Override
  public long allocate(long bytes) {
    if (bytes < Math.min(SMALLEST_FILE, memory.limit() / SHARE_OF_BUDGET)) {
      return memory.allocate(bytes);
    }
    long resident = memory.allocateBeside(bytes, kept);
    if (resident != 0) {
      return resident;
    }
    SpillFile file = SpillFile.of(bytes);
    files.put(file.address(), file);
    return file.address();
  }

  @Override
  public void free(long address, long bytes) {
    SpillFile file = files.remove(address);
    if (file == null) {
      memory.free(address, bytes);
    } else {
      file.close();
    }
  }

  /** Begins to read what lies in files, without waiting for it. */
  void fetch() {
    files.values().forEach(SpillFile::fetch);
  }

  /** Takes what lies in files out of the process; it comes back when it is read. */
  void evict() {
    files.values().forEach(SpillFile::evict);
  }

  /** Bytes that lie in files. */
  long spilledBytes() {
    return files.values().stream().mapToLong(SpillFile::bytes).sum();
  }
}
