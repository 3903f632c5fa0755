package org.weft.spark;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.LongAccumulator;
import org.weft.engine.Backend;
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
import org.weft.planner.JobPlan;
import org.weft.planner.job.Job;
import org.weft.planner.machine.Resources;
import org.weft.spark.resident.OwnPool;
import org.weft.spark.resident.ResidentMemory;
import org.weft.spark.wire.Wire;
import org.weft.storage.InputPlan;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Tensors and kernels on the executors of one Spark context. */
final class SparkBackend implements Backend {
  private static final int SPLITS_PER_CORE = 2; // so that a slow one does not hold up the others

  private final JavaSparkContext context;
  private final EngineOptions options;
  private final FileAccess files;
  private final ExecutorArrival arrival;

  SparkBackend(JavaSparkContext context, EngineOptions options, GrantedExecutors granted) {
    this.context = context;
    this.options = options;
    this.arrival = new ExecutorArrival(context.sc(), granted);
    this.files = FileAccess.of(context.hadoopConfiguration());
  }

  @Override
  public FileAccess files() {
    return files;
  }

  @Override
  public Resources resources() {
    return resources(OwnPool.isInProcess(context.getConf()) ? 1 : arrival.count());
  }

  @Override
  public Optional<Resources> expected() {
    OptionalInt executors =
        OwnPool.isInProcess(context.getConf()) ? OptionalInt.empty() : arrival.expected();
    return executors.isEmpty() ? Optional.empty() : Optional.of(resources(executors.getAsInt()));
  }

  private Resources resources(int executors) {
    SparkConf conf = context.getConf();
    int cores =
        OwnPool.isInProcess(conf)
            ? context.defaultParallelism()
            : conf.getInt(
                "spark.executor.cores", Math.max(1, context.defaultParallelism() / executors));
    int threads =
        options.threadsPerTask() > 0 ? options.threadsPerTask() : conf.getInt("spark.task.cpus", 1);
    long memory = OwnPool.bytes(conf);
    return new Resources(executors, Math.max(1, cores), threads, Math.max(1, memory));
  }

  @Override
  public long splitBytes(long fileBytes, long blockBytes) {
    long cores =
        expected()
            .map(found -> (long) found.executors() * found.coresPerExecutor())
            .orElse((long) context.defaultParallelism());
    return splitBytes(cores, fileBytes, blockBytes);
  }

  /** A block at most, and less if cores would have nothing to read. */
  static long splitBytes(long cores, long fileBytes, long blockBytes) {
    return Math.min(blockBytes, Math.max(SPLIT_BYTES, fileBytes / (SPLITS_PER_CORE * cores)));
  }

  @Override
  public Measurements measurements() {
    return new SparkMeasurements(context.sc());
  }

  @Override
  public EngineTensor read(InputPlan plan, ValueType type) {
    return SparkTensor.read(context, files, plan, type);
  }

  @Override
  public EngineTensor of(String name, TensorShape shape, List<CooBlock> entries, ValueType type) {
    return SparkTensor.ofDriver(context, files, name, entries, shape, type);
  }

  @Override
  public EngineTensor select(
      EngineTensor tensor, String name, TensorShape shape, EntryBlocks.Step<CooBlock> step) {
    return ((SparkTensor) tensor).select(name, shape, step);
  }

  @Override
  public Parts parts(List<Piece> pieces) {
    return SparkParts.of(context, files, pieces);
  }

  @Override
  public <T> Shared<T> share(T value) {
    return Wire.send(context, value);
  }

  @Override
  public Counter counter() {
    return new Sum(context.sc().longAccumulator());
  }

  /** A counter that executors add to. */
  private record Sum(LongAccumulator accumulator) implements Counter {
    @Override
    public void add(long amount) {
      accumulator.add(amount);
    }

    @Override
    public long sum() {
      return accumulator.sum();
    }
  }

  @Override
  public Passes open(EngineTensor tensor, JobPlan plan, JobClock clock) {
    return new SparkPasses(context, files, (SparkTensor) tensor, plan, options, clock);
  }

  @Override
  public Label label(Job job, String uri) {
    return JobName.open(context.sc(), job + " of " + uri);
  }

  @Override
  public RuntimeException failure(Exception failure) {
    return Failures.unwrap(failure);
  }

  @Override
  public void sweep() {
    ResidentMemory.PROCESS.sweep();
  }

  @Override
  public void close() {}
}
