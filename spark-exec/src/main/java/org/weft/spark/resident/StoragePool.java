package org.weft.spark.resident;

import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.storage.BlockId;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemorySource;
import org.weft.text.Bytes;

/**
 * Off-heap bytes of resident data: the process's allocator, charged to Spark's off-heap storage
 * pool under the block that holds the data. Thread-safe.
 */
final class StoragePool implements MemorySource {
  private final MemoryManager manager;
  private final BlockId block;
  private final String what;

  private StoragePool(MemoryManager manager, BlockId block, String what) {
    this.manager = manager;
    this.block = block;
    this.what = what;
  }

  /** Of Spark's pool, or of {@link OwnPool} where Spark has none. */
  static MemorySource of(SparkEnv env, BlockId block, String what) {
    return OwnPool.isUsed()
        ? OwnPool.source(what)
        : new StoragePool(env.memoryManager(), block, what);
  }

  @Override
  public long allocate(long bytes) {
    if (!manager.acquireStorageMemory(block, bytes, MemoryMode.OFF_HEAP)) {
      throw new WeftException(ErrorCode.OUT_OF_MEMORY, message(bytes));
    }
    try {
      return MemorySource.system().allocate(bytes);
    } catch (WeftException e) {
      manager.releaseStorageMemory(bytes, MemoryMode.OFF_HEAP);
      throw e;
    }
  }

  @Override
  public void free(long address, long bytes) {
    MemorySource.system().free(address, bytes);
    manager.releaseStorageMemory(bytes, MemoryMode.OFF_HEAP);
  }

  private String message(long bytes) {
    long total = manager.maxOffHeapMemory();
    long used =
        manager.offHeapStorageMemoryPool().memoryUsed()
            + manager.offHeapExecutionMemoryPool().memoryUsed();
    return what
        + " needs "
        + Bytes.text(bytes)
        + " more off-heap memory, but "
        + Bytes.text(used)
        + " of this executor's "
        + Bytes.text(total)
        + " (spark.memory.offHeap.size) are in use; raise spark.memory.offHeap.size or run on more"
        + " executors";
  }
}
