package org.weft.planner.machine;

import java.io.Serializable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * What the cluster gives a job.
 *
 * @param executors processes that run tasks; 1 for Spark in-process
 * @param coresPerExecutor cores of each executor
 * @param threadsPerTask cores that one task occupies
 * @param kernelThreads threads that a kernel gets: a task's cores, or all of the executor's where
 *     kernels run one after another
 * @param inTurn whether the kernels of a process run one after another
 * @param memoryBytesPerExecutor memory of each executor that tensors may fill, in bytes, on and off
 *     the Java heap together
 */
public record Resources(
    int executors,
    int coresPerExecutor,
    int threadsPerTask,
    int kernelThreads,
    boolean inTurn,
    long memoryBytesPerExecutor)
    implements Serializable {
  public Resources {
    if (executors < 1 || coresPerExecutor < 1 || threadsPerTask < 1 || memoryBytesPerExecutor < 1) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected at least 1 executor, core, thread per task and byte of memory, found "
              + executors
              + ", "
              + coresPerExecutor
              + ", "
              + threadsPerTask
              + " and "
              + memoryBytesPerExecutor);
    }
    kernelThreads = Math.max(1, Math.min(kernelThreads, coresPerExecutor));
  }

  /** Kernels that have the cores of their task. */
  public Resources(
      int executors, int coresPerExecutor, int threadsPerTask, long memoryBytesPerExecutor) {
    this(
        executors, coresPerExecutor, threadsPerTask, threadsPerTask, false, memoryBytesPerExecutor);
  }

  /** With kernels that run one after another on all cores of an executor. */
  public Resources withKernelsInTurn() {
    return new Resources(
        executors,
        coresPerExecutor,
        threadsPerTask,
        coresPerExecutor,
        true,
        memoryBytesPerExecutor);
  }

  /** Fixed seconds of a step of tasks. In one process there are threads only, and no tasks. */
  public double stepSeconds(MachineParameters machine) {
    return inTurn ? 0 : machine.get(MachineConstant.STEP);
  }

  /** Tasks that one executor runs at a time. */
  public int tasksPerExecutor() {
    return Math.max(1, coresPerExecutor / threadsPerTask);
  }

  /** Tasks that run at a time on the whole cluster. */
  public int slots() {
    return executors * tasksPerExecutor();
  }

  /** Kernels that run at a time on the whole cluster. */
  public int kernelsAtATime() {
    return executors * Math.max(1, coresPerExecutor / Math.max(threadsPerTask, kernelThreads));
  }
}
