package org.weft.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.Method;
import org.weft.decomposition.rows.RangesOfRows;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.JobClock;
import org.weft.engine.Measurements;
import org.weft.engine.OutputTarget;
import org.weft.engine.Passes;
import org.weft.engine.ProgressListener;
import org.weft.engine.entries.Shared;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.kernel.Merge;
import org.weft.planner.partition.EqualNonzeros;
import org.weft.planner.partition.ModePartitioning;
import org.weft.reorder.Relabelling;
import org.weft.runtime.KernelImage;
import org.weft.spark.kernel.DenseOperand;
import org.weft.spark.kernel.DenseStep;
import org.weft.spark.kernel.EntryBlock;
import org.weft.spark.kernel.KernelCall;
import org.weft.spark.kernel.RowBlock;
import org.weft.spark.kernel.SparseStep;
import org.weft.spark.output.OriginalEntries;
import org.weft.spark.output.OriginalRows;
import org.weft.spark.output.ResultFile;
import org.weft.spark.output.RowFiles;
import org.weft.spark.resident.FactorLost;
import org.weft.spark.resident.ResidentTensor;
import org.weft.spark.wire.Sent;
import org.weft.spark.wire.Wire;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/**
 * The passes of one plan over one tensor: broadcasts the library, makes the tensor resident, and
 * turns each pass into a distributed computation of rows or entries. Driver side; what it sends is
 * free of compiler classes. Close it to take the library back.
 */
final class SparkPasses implements Passes {
  private static final long ENTRIES_PER_RANGE = 1 << 20;
  private static final int MOST_RUNS = 3;

  private final JavaSparkContext context;
  private final SparkTensor tensor;
  private final JobPlan plan;
  private final FileAccess files;
  private final EngineOptions options;
  private final JobClock clock;
  private final Sent<KernelImage> image;

  SparkPasses(
      JavaSparkContext context,
      FileAccess files,
      SparkTensor tensor,
      JobPlan plan,
      EngineOptions options,
      JobClock clock) {
    this.context = context;
    this.files = files;
    this.tensor = tensor;
    this.plan = plan;
    this.options = options;
    this.clock = clock;
    this.image = Wire.send(context, plan.image());
  }

  @Override
  public void pack(List<ModePlan> passes) {
    tensor.makeResident(passes.stream().map(ModePlan::form).distinct().toList(), clock);
  }

  @Override
  public Packed packed(ModePlan pass) {
    ResidentTensor resident = resident(pass);
    return new Packed(resident.storedEntries(), resident.normSquared());
  }

  @Override
  public <M> M run(Method<M> method, Packed packed, ProgressListener progress, Engine.Keep<M> keep)
      throws IOException {
    for (int run = 1; ; run++) {
      try (SparkSite site = site(packed)) {
        M model = method.run(site, progress.observer(method));
        keep.keep(model, site);
        return model;
      } catch (Exception e) {
        if (!FactorLost.isIn(e)) {
          throw e;
        }
        if (run == MOST_RUNS) {
          throw new WeftException(
              ErrorCode.CLUSTER_UNAVAILABLE,
              "the executors that had rows of the factors were lost, in "
                  + run
                  + " runs; the logs of the workers say why, run again when they are well",
              e);
        }
        progress.step("factors were lost with their executors: run again", 2, 3);
      }
    }
  }

  private SparkSite site(Packed packed) {
    int ranges =
        options.planner().reproducible() ? RangesOfRows.mostOf(plan) : context.defaultParallelism();
    return new SparkSite(context, tensor, this, plan, packed, ranges);
  }

  @Override
  public void write(ModePlan pass, List<RowSource> matrices, OutputTarget out) {
    long start = System.nanoTime();
    try (SparkSite site = site(packed(pass))) {
      List<DenseOperand> operands = new ArrayList<>();
      for (int i = 0; i < matrices.size(); i++) {
        operands.add(site.operand(pass, pass.kernel().operands().get(i), matrices.get(i)));
      }
      ResultFile file = new ResultFile(files, out, clock.measurements());
      TensorShape shape = pass.writtenShape();
      if (pass.kernel().merge() == Merge.ENTRIES) {
        file.writeEntries(
            resultEntries(pass, operands),
            shape,
            pass.writtenOrder(),
            resultSlices(pass),
            tensor.resultRelabelling() == null && !pass.partitioning().anyOverlapping());
      } else if (pass.kernel().merge() == Merge.ROWS && tensor.resultRelabelling() == null) {
        file.writeRanges(resultRows(pass, operands), shape, pass.partitioning());
      } else {
        file.writeRows(resultRows(pass, operands), shape);
      }
    }
    ran(pass, System.nanoTime() - start);
  }

  /** A file for rows, in place of one that is there. */
  ResultFile rowsFile(String uri) {
    return new ResultFile(files, new OutputTarget(uri, true), clock.measurements());
  }

  /** Files for rows, in place of those that are there. */
  RowFiles rowFiles() {
    return new RowFiles(files, clock.measurements());
  }

  /** Says what the next Spark jobs of this thread do. */
  void describe(String step) {
    JobName.describe(context.sc(), step);
  }

  /** The tensor packed for {@code pass}. */
  ResidentTensor resident(ModePlan pass) {
    return tensor.resident(pass.form(), clock);
  }

  /** Whether {@link #resident} has nothing to do. */
  boolean isResident(ModePlan pass) {
    return tensor.isResident(pass.form());
  }

  /** The rows of a pass with a dense result; nothing runs yet. */
  JavaRDD<RowBlock> rows(ModePlan pass, List<DenseOperand> operands) {
    return resident(pass).partitions().mapPartitions(step(pass, operands));
  }

  /** What makes the rows of a pass with a dense result. */
  DenseStep step(ModePlan pass, List<DenseOperand> operands) {
    boolean slices = pass.kernel().merge() == Merge.ROWS;
    return new DenseStep(call(pass, operands), pass.resultShape(), slices, clock.measurements());
  }

  /** Where tasks of the job report. */
  Measurements measurements() {
    return clock.measurements();
  }

  /** The plan's library, on executors. */
  Sent<KernelImage> image() {
    return image;
  }

  /** The entries of a pass with a sparse result; nothing runs yet. */
  private JavaRDD<EntryBlock> entries(ModePlan pass, List<DenseOperand> operands) {
    int[] written = pass.kernel().writtenModes().stream().mapToInt(Integer::intValue).toArray();
    return resident(pass)
        .partitions()
        .mapPartitions(
            new SparseStep(
                call(pass, operands), pass.resultShape(), written, clock.measurements()));
  }

  /** As {@link #rows}, with the row numbers that the caller is to see. */
  private JavaRDD<RowBlock> resultRows(ModePlan pass, List<DenseOperand> operands) {
    JavaRDD<RowBlock> rows = rows(pass, operands);
    @Nullable Shared<Relabelling> back = tensor.resultRelabelling();
    return back == null || pass.kernel().merge() != Merge.ROWS
        ? rows
        : rows.mapPartitions(new OriginalRows(back, pass.mode()));
  }

  /** As {@link #entries}, with the coordinates that the caller is to see. */
  private JavaRDD<EntryBlock> resultEntries(ModePlan pass, List<DenseOperand> operands) {
    JavaRDD<EntryBlock> entries = entries(pass, operands);
    @Nullable Shared<Relabelling> back = tensor.resultRelabelling();
    if (back == null) {
      return entries;
    }
    int cut = pass.kernel().partitionedMode();
    int[] tensorModes = pass.tensorModes();
    int sorting = 0;
    while (tensorModes[sorting] != cut) {
      sorting++;
    }
    return entries.mapPartitions(
        new OriginalEntries(back, tensorModes, sorting, resultSlices(pass)));
  }

  /** The ranges of slices that the blocks of {@link #resultEntries} begin with. */
  ModePartitioning resultSlices(ModePlan pass) {
    if (tensor.resultRelabelling() == null) {
      return pass.partitioning();
    }
    int cut = pass.kernel().partitionedMode();
    TensorStatistics file = tensor.originalStatistics();
    int ranges = (int) Math.min(1 << 16, 1 + file.entries() / ENTRIES_PER_RANGE);
    return new EqualNonzeros().partition(cut, file.shape().size(cut), file.histogram(cut), ranges);
  }

  /** Books one execution of {@code pass}. */
  void ran(ModePlan pass, long elapsedNanos) {
    clock.ran(plan, pass, elapsedNanos);
  }

  private KernelCall call(ModePlan pass, List<DenseOperand> operands) {
    KernelPlan kernel = pass.kernel();
    return new KernelCall(
        plan.job().name(),
        image,
        kernel.request().symbol(),
        kernel.tensor(),
        kernel.result(),
        operands,
        kernel.tensorFormat().valueType(),
        pass.flopsPerEntry(),
        plan.resources().kernelThreads(),
        plan.resources().coresPerExecutor(),
        options.planner().reproducible());
  }

  @Override
  public void close() {
    image.destroy();
  }
}
