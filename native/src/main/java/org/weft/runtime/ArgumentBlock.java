package org.weft.runtime;

import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;

/**
 * The argument block of one call, and the runtime table that its slot 0 points to. Freed by {@link
 * #close()}; the arrays that its slots point to are not its own.
 */
final class ArgumentBlock implements AutoCloseable {
  private static final int STATUS = 1;
  private static final int STATUS_DETAIL = 2;

  /** Set to divide small loops, as tests do. */
  private static final long TASK_WORK = Long.getLong("weft.taskWork", 0);

  private final long table;
  private final long arguments;
  private final long bytes;

  ArgumentBlock(int slots, int threads, boolean reproducible) {
    bytes = NativeRuntime.TABLE_BYTES + (long) slots * Long.BYTES;
    table = MemorySource.system().allocate(bytes);
    arguments = table + NativeRuntime.TABLE_BYTES;
    NativeMemory.copy(NativeRuntime.runtimeTable(), table, NativeRuntime.TABLE_BYTES);
    NativeMemory.putLong(table + NativeRuntime.THREADS_OFFSET, threads);
    NativeMemory.putLong(table + NativeRuntime.REPRODUCIBLE_OFFSET, reproducible ? 1 : 0);
    if (TASK_WORK > 0) {
      NativeMemory.putLong(table + NativeRuntime.TASK_WORK_OFFSET, TASK_WORK);
    }
    NativeMemory.fill(arguments, (long) slots * Long.BYTES, (byte) 0);
    set(0, table);
  }

  long address() {
    return arguments;
  }

  void set(int slot, long value) {
    NativeMemory.putLong(arguments + (long) slot * Long.BYTES, value);
  }

  long get(int slot) {
    return NativeMemory.getLong(arguments + (long) slot * Long.BYTES);
  }

  long status() {
    return get(STATUS);
  }

  /** Forgets what an earlier call left. */
  void clearStatus() {
    set(STATUS, 0);
    set(STATUS_DETAIL, 0);
  }

  long statusDetail() {
    return get(STATUS_DETAIL);
  }

  @Override
  public void close() {
    MemorySource.system().free(table, bytes);
  }
}
