package org.weft.spark.resident;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.jspecify.annotations.Nullable;
import org.weft.memory.MemoryScope;

/**
 * Owner of all off-heap memory that outlives a task in this process. One per process, thread-safe.
 *
 * <p>An {@link Entry} holds a scope and mirrors one Spark block. It is freed by {@link #sweep} when
 * no task leases it and the block has left Spark's memory store. Sweeps run when a lease ends,
 * before new memory is taken, on request, and every half second while anything is held (an executor
 * hears of an unpersist in no other way).
 */
public final class ResidentMemory {
  /** The registry of this process. */
  public static final ResidentMemory PROCESS = new ResidentMemory();

  private static final long SWEEP_MILLIS = 500;

  private final List<Entry> entries = new ArrayList<>();
  private @Nullable Thread sweeper;

  private ResidentMemory() {}

  /**
   * Whether Spark has the block, in memory or on disk. {@link BlockManager#getStatus} asks the
   * memory store twice and fails if the block leaves it in between.
   */
  static boolean isKnown(BlockManager manager, BlockId block) {
    return manager.blockInfoManager().get(block).isDefined();
  }

  /** A scope whose life follows a Spark block. */
  public static final class Entry {
    private final BlockId block;
    private final MemoryScope scope;
    private final BooleanSupplier wanted;
    private int leases;
    private boolean retired;
    private boolean freed;

    private Entry(BlockId block, MemoryScope scope, BooleanSupplier wanted) {
      this.block = block;
      this.scope = scope;
      this.wanted = wanted;
    }

    /** Owned by the registry: callers allocate in it and never close it. */
    MemoryScope scope() {
      return scope;
    }

    private boolean isUnused() {
      return leases == 0 && (retired || !wanted.getAsBoolean());
    }
  }

  /**
   * A new entry for {@code block}, leased to the running task. An earlier entry of the same block
   * (Spark evicted the block and computes it again) is freed when its last lease ends.
   *
   * @param what names the data in an out-of-memory message
   * @param wanted whether Spark still has the block
   */
  Entry open(BlockId block, String what, BooleanSupplier wanted) {
    sweep();
    MemoryScope scope = MemoryScope.root(what, StoragePool.of(SparkEnv.get(), block, what));
    Entry entry = new Entry(block, scope, wanted);
    synchronized (this) {
      for (Entry earlier : entries) {
        if (earlier.block.equals(block)) {
          earlier.retired = true;
        }
      }
      lease(entry);
      entries.add(entry);
      startSweeper();
    }
    return entry;
  }

  /** Keeps {@code entry} alive until the running task ends. */
  void lease(Entry entry) {
    if (!tryLease(entry)) {
      throw new IllegalStateException("'" + entry.scope.name() + "' was freed before its use");
    }
  }

  /** As {@link #lease}; false if the memory is already freed. */
  boolean tryLease(Entry entry) {
    String use = "resident data is not available";
    RunningWork.current(use);
    synchronized (this) {
      if (entry.freed) {
        return false;
      }
      entry.leases++;
    }
    RunningWork.atEnd(use, () -> release(entry));
    return true;
  }

  /** Says that nobody will ask for {@code entry} again: freed when its last lease ends. */
  void retire(Entry entry) {
    synchronized (this) {
      entry.retired = true;
    }
    sweep();
  }

  private void release(Entry entry) {
    synchronized (this) {
      entry.leases--;
    }
    sweep();
  }

  /** Frees what is neither leased nor in Spark's memory store. */
  public void sweep() {
    List<Entry> dead = new ArrayList<>();
    synchronized (this) {
      entries.removeIf(entry -> entry.isUnused() && dead.add(entry));
      dead.forEach(entry -> entry.freed = true);
    }
    for (Entry entry : dead) {
      entry.scope.close();
    }
  }

  /** Off-heap bytes held now. */
  public synchronized long liveBytes() {
    return entries.stream().mapToLong(entry -> entry.scope.liveBytes()).sum();
  }

  private void startSweeper() {
    if (sweeper == null) {
      Thread thread = new Thread(this::sweepUntilEmpty, "weft-resident-memory");
      thread.setDaemon(true);
      thread.start();
      sweeper = thread;
    }
  }

  private void sweepUntilEmpty() {
    while (true) {
      try {
        Thread.sleep(SWEEP_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      sweep();
      synchronized (this) {
        if (entries.isEmpty()) {
          sweeper = null;
          return;
        }
      }
    }
  }
}
