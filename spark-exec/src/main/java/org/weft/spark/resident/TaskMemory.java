package org.weft.spark.resident;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.unsafe.memory.MemoryBlock;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.NativeRuntime;
import org.weft.text.Bytes;

/**
 * Off-heap memory of one task attempt, or of a piece of its work: pages of Spark's {@link
 * TaskMemoryManager}, one page per block, 64-byte aligned; of {@link OwnPool} where Spark has no
 * off-heap memory. The scope is closed when the task completes, fails or is killed.
 */
public final class TaskMemory implements MemorySource {
  private static final String USE = "task memory is not available";
  private static final String OUTPUT = "a kernel's output";
  private static final Map<Object, TaskMemory> OPEN = new ConcurrentHashMap<>();

  private final Pages pages;
  private final Map<Long, MemoryBlock> blocks = new ConcurrentHashMap<>();
  private final @Nullable MemorySource own;
  private final MemoryScope scope;

  private TaskMemory(TaskMemoryManager manager, String name) {
    this.pages = new Pages(manager);
    this.own = OwnPool.isUsed() ? OwnPool.source(OUTPUT) : null;
    this.scope = MemoryScope.root(name, this);
  }

  /**
   * The memory of the running task.
   *
   * @throws IllegalStateException outside a Spark task
   */
  public static TaskMemory ofTask() {
    Object work = RunningWork.current(USE);
    TaskMemory open = OPEN.get(work);
    return open != null ? open : open(work);
  }

  private static TaskMemory open(Object work) {
    TaskContext task = TaskContext.get();
    TaskMemory opened = new TaskMemory(task.taskMemoryManager(), "task " + task.taskAttemptId());
    OPEN.put(work, opened);
    RunningWork.atEnd(
        USE,
        () -> {
          OPEN.remove(work);
          opened.scope.close();
        });
    return opened;
  }

  /** The task's scope. Borrowed: the task closes it. */
  public MemoryScope scope() {
    return scope;
  }

  /** Bytes held by all running tasks of this process. */
  public static long liveBytes() {
    return OPEN.values().stream().mapToLong(memory -> memory.scope.liveBytes()).sum();
  }

  /**
   * Charges memory that a kernel has allocated by itself; the returned action gives the charge
   * back.
   *
   * @throws WeftException {@code OUT_OF_MEMORY} if the pool is exhausted; nothing is charged then
   */
  public Runnable charge(long bytes) {
    if (own != null) {
      OwnPool.charge(bytes, OUTPUT);
      return () -> OwnPool.release(bytes);
    }
    long granted = pages.acquireMemory(bytes);
    if (granted < bytes) {
      pages.freeMemory(granted);
      throw exhausted(bytes);
    }
    return () -> pages.freeMemory(bytes);
  }

  @Override
  public long allocate(long bytes) {
    if (own != null) {
      return own.allocate(bytes);
    }
    MemoryBlock block = pages.allocate(bytes + ALIGNMENT);
    if (block == null || block.size() < bytes + ALIGNMENT) {
      if (block != null) {
        pages.free(block);
      }
      throw exhausted(bytes);
    }
    NativeRuntime.advise(block.getBaseOffset(), block.size());
    long address = (block.getBaseOffset() + ALIGNMENT - 1) & -ALIGNMENT;
    blocks.put(address, block);
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    if (own != null) {
      own.free(address, bytes);
      return;
    }
    MemoryBlock block = blocks.remove(address);
    if (block == null) {
      throw new IllegalStateException("no task page holds address " + address);
    }
    pages.free(block);
  }

  private static WeftException exhausted(long bytes) {
    return new WeftException(
        ErrorCode.OUT_OF_MEMORY,
        "a kernel's output needs "
            + Bytes.text(bytes)
            + " of off-heap memory, which this executor does not have left; raise"
            + " spark.memory.offHeap.size or the number of partitions");
  }

  /** The consumer under which Spark books the pages. Outputs cannot be spilled. */
  private static final class Pages extends MemoryConsumer {
    Pages(TaskMemoryManager manager) {
      super(manager, manager.pageSizeBytes(), MemoryMode.OFF_HEAP);
    }

    MemoryBlock allocate(long bytes) {
      MemoryBlock block = taskMemoryManager.allocatePage(bytes, this);
      if (block != null) {
        used.addAndGet(block.size());
      }
      return block;
    }

    void free(MemoryBlock block) {
      freePage(block);
    }

    @Override
    public long spill(long size, MemoryConsumer trigger) throws IOException {
      return 0;
    }
  }
}
