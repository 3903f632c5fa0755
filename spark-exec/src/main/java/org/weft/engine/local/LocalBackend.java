package org.weft.engine.local;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import org.weft.engine.Backend;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobClock;
import org.weft.engine.Measurements;
import org.weft.engine.Passes;
import org.weft.engine.distributed.Counter;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.Piece;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.Shared;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.planner.InputReading;
import org.weft.planner.JobPlan;
import org.weft.planner.job.Job;
import org.weft.planner.machine.Resources;
import org.weft.runtime.NativeRuntime;
import org.weft.storage.InputPlan;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Bytes;

/**
 * Tensors and kernels in this process: files are parsed and packed by Java threads, kernels run one
 * after another, each on all threads of the task runtime.
 */
public final class LocalBackend implements Backend {
  private static final long LEAST_OFF_HEAP = 512L << 20;

  private final FileAccess files;
  private final EngineOptions options;
  private final int threads;
  private final BoundedMemory memory;
  private final Workers workers;

  private LocalBackend(FileAccess files, EngineOptions options, int threads) {
    this.files = files;
    this.options = options;
    this.threads = threads;
    this.memory =
        new BoundedMemory(options.memoryBytes() > 0 ? options.memoryBytes() : offHeapBytes());
    this.workers = new Workers(threads);
    NativeRuntime.setThreads(threads);
  }

  /**
   * An engine in this process.
   *
   * @param options {@code threadsPerTask} is the number of threads; 0 takes one for each processor
   */
  public static Engine engine(FileAccess files, EngineOptions options) {
    int threads =
        options.threadsPerTask() > 0
            ? options.threadsPerTask()
            : Runtime.getRuntime().availableProcessors();
    return new Engine(new LocalBackend(files, options, threads), options);
  }

  /** Three quarters of what the heap leaves of the machine's memory. */
  private static long offHeapBytes() {
    long heap = Runtime.getRuntime().maxMemory();
    long all =
        ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
            ? system.getTotalMemorySize()
            : 2 * heap;
    return Math.max(LEAST_OFF_HEAP, (all - heap) / 4 * 3);
  }

  @Override
  public FileAccess files() {
    return files;
  }

  @Override
  public Resources resources() {
    return new Resources(1, threads, 1, memory.limit()).withKernelsInTurn();
  }

  @Override
  public long splitBytes(long fileBytes, long blockBytes) {
    return SPLIT_BYTES;
  }

  @Override
  public Measurements measurements() {
    return new LocalMeasurements();
  }

  @Override
  public EngineTensor read(InputPlan plan, ValueType type) {
    return LocalTensor.read(files, plan, type, workers, memory);
  }

  @Override
  public EngineTensor of(String name, TensorShape shape, List<CooBlock> entries, ValueType type) {
    return LocalTensor.of(files, name, shape, entries, type, InputReading.free(), workers, memory);
  }

  @Override
  public EngineTensor select(
      EngineTensor tensor, String name, TensorShape shape, EntryBlocks.Step<CooBlock> step) {
    List<CooBlock> chosen = tensor.entries().collect(step);
    return LocalTensor.of(
        files, name, shape, chosen, tensor.valueType(), tensor.reading(), workers, memory);
  }

  @Override
  public Parts parts(List<Piece> pieces) {
    return LocalParts.of(files, List.of(pieces));
  }

  @Override
  public <T> Shared<T> share(T value) {
    return new LocalBlocks(List.of(), workers).share(value);
  }

  @Override
  public Counter counter() {
    return new Sum();
  }

  /** A counter of this process. */
  private static final class Sum implements Counter {
    private static final long serialVersionUID = 1L;

    private final LongAdder sum = new LongAdder();

    @Override
    public void add(long amount) {
      sum.add(amount);
    }

    @Override
    public long sum() {
      return sum.sum();
    }
  }

  @Override
  public Passes open(EngineTensor tensor, JobPlan plan, JobClock clock) {
    requireMemory(plan);
    MemoryScope scope = MemoryScope.root(plan.job().name(), memory);
    return new LocalPasses(
        files, (LocalTensor) tensor, plan, clock, workers, scope, options.planner().reproducible());
  }

  /** The tensor lies in files where it does not fit; operands and results must fit. */
  private void requireMemory(JobPlan plan) {
    double needed = plan.predicted().kernelBytesBesideTensor();
    if (needed > memory.limit()) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          String.format(
              Locale.ROOT,
              "%s: operands and results are predicted to take %s off"
                  + " the heap, expected at most %s; give more (--memory), a machine with"
                  + " more, or several machines (--master)",
              plan.job().name(),
              Bytes.text(needed),
              Bytes.text(memory.limit())));
    }
  }

  @Override
  public Label label(Job job, String uri) {
    return new Label() {
      @Override
      public void describe(String step) {}

      @Override
      public void close() {}
    };
  }

  @Override
  public RuntimeException failure(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof WeftException weft) {
        return weft;
      }
    }
    return failure instanceof RuntimeException unchecked
        ? unchecked
        : new IllegalStateException(failure);
  }

  @Override
  public void sweep() {}

  /** Closes the threads. Tensors and jobs have freed their memory. */
  @Override
  public void close() {
    workers.close();
    if (memory.used() != 0) {
      throw new IllegalStateException(memory.used() + " bytes off the heap were not freed");
    }
  }
}
