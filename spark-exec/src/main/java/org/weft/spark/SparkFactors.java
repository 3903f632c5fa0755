package org.weft.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.AlternatingLeastSquares;
import org.weft.decomposition.CpRun;
import org.weft.decomposition.FactorSteps;
import org.weft.decomposition.RowUpdate;
import org.weft.planner.CpdJob;
import org.weft.planner.JobPlan;
import org.weft.planner.Merge;
import org.weft.planner.ModePlan;
import org.weft.planner.Operand;
import org.weft.planner.SliceRange;
import org.weft.spark.kernel.AddedRows;
import org.weft.spark.kernel.DenseOperand;
import org.weft.spark.kernel.DenseStep;
import org.weft.spark.kernel.FactorOperand;
import org.weft.spark.kernel.FactorRange;
import org.weft.spark.kernel.FactorSums;
import org.weft.spark.kernel.FactorUpdate;
import org.weft.spark.kernel.OwnedRows;
import org.weft.spark.kernel.RowBlock;
import org.weft.spark.output.SummedRows;
import org.weft.spark.resident.FactorSource;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.resident.GivenRows;
import org.weft.spark.resident.SeededRows;
import org.weft.spark.resident.StoredRows;
import org.weft.spark.wire.Sent;
import org.weft.spark.wire.Wire;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/**
 * Factors that the executors have among them. The rows of a range of slices are computed where the
 * slices are, stored in two processes, and read by those whose partitions have entries there. What
 * comes to the driver is R x R for each task, and the rows of slices that are split among
 * partitions.
 *
 * <p>An update is one Spark job of one stage. Where a form serves several modes its results have
 * all rows and are added up first, which takes a shuffle.
 */
final class SparkFactors implements FactorSteps, AutoCloseable {
  private static final int COPIES = 2;

  private final JavaSparkContext context;
  private final PlanRunner runner;
  private final JobPlan plan;
  private final int rank;
  private final ValueType type;
  private final Broadcast<Integer> decomposition;
  private final List<FactorVersion> factors = new ArrayList<>();
  private final List<Broadcast<Integer>> spaces = new ArrayList<>();
  private final List<Sent<DenseMatrix>> given = new ArrayList<>();

  SparkFactors(
      JavaSparkContext context,
      SparkTensor tensor,
      PlanRunner runner,
      JobPlan plan,
      CpdJob job,
      CpRun run) {
    this.context = context;
    this.runner = runner;
    this.plan = plan;
    this.rank = job.rank();
    this.type = job.valueType();
    this.decomposition = space();
    for (int mode = 0; mode < plan.modes().size(); mode++) {
      FactorSource rows = start(mode, tensor, job, run);
      long[] starts = starts(plan.modes().get(mode));
      factors.add(new FactorVersion(mode, 0, rank, type, starts, rows));
      spaces.add(decomposition);
    }
  }

  /** Rows of the seed, or those given: sent to each process once, and taken back at the end. */
  private FactorSource start(int mode, SparkTensor tensor, CpdJob job, CpRun run) {
    if (run.start().isEmpty()) {
      return new SeededRows(
          AlternatingLeastSquares.seed(job, mode), mode, tensor.originalCoordinates());
    }
    Sent<DenseMatrix> rows = Wire.send(context, run.start().get().factors().get(mode));
    given.add(rows);
    return new GivenRows(rows, mode, tensor.originalCoordinates());
  }

  /** A number for blocks, which go when it is destroyed. */
  private Broadcast<Integer> space() {
    return context.broadcast(0);
  }

  /** The ranges of rows that tasks finish: a partition's slices, or whole blocks of all rows. */
  private static long[] starts(ModePlan pass) {
    long rows = pass.resultShape().size(0);
    if (pass.kernel().merge() == Merge.ROWS) {
      return owned(pass, rows);
    }
    long blockRows = DenseStep.blockRows(Math.toIntExact(pass.resultShape().size(1)));
    long blocks = Math.max(1, (rows + blockRows - 1) / blockRows);
    int ranges = (int) Math.min(blocks, pass.partitioning().partitions());
    long[] starts = new long[ranges + 1];
    for (int range = 0; range < ranges; range++) {
      starts[range] = blocks * range / ranges * blockRows;
    }
    starts[ranges] = rows;
    return starts;
  }

  private static long[] owned(ModePlan pass, long rows) {
    LongStream firsts =
        pass.partitioning().ranges().stream()
            .filter(range -> range.piece() == 0 && range.slices() > 0)
            .mapToLong(SliceRange::from);
    return LongStream.concat(firsts, LongStream.of(rows)).toArray();
  }

  @Override
  public double[] gram(int mode) {
    FactorUpdate update =
        update(factors.get(mode), new RowUpdate.LeastSquares(new double[0]), false, decomposition);
    List<Integer> ranges = IntStream.range(0, factors.get(mode).ranges()).boxed().toList();
    runner.describe("cpd: norms of factor " + mode);
    return summed(
            Wire.collect(
                context.parallelize(ranges, tasks(ranges.size())).map(FactorRange.grams(update))))
        .gram();
  }

  private int tasks(int most) {
    return Math.max(1, Math.min(most, context.defaultParallelism()));
  }

  @Override
  public Sums update(int mode, int sweep, RowUpdate rule, boolean inner) {
    long start = System.nanoTime();
    ModePlan pass = plan.modes().get(mode);
    runner.describe("cpd: factor " + mode + ", rank " + rank + ", iteration " + sweep);
    FactorVersion old = factors.get(mode);
    Broadcast<Integer> space = space();
    boolean done = false;
    try {
      FactorUpdate update = update(old, rule, inner, space);
      List<FactorSums> parts = Wire.collect(sums(pass, update));
      parts.sort(Comparator.comparingInt(FactorSums::partition));
      Sums sums = summed(parts);
      double[][] finished = finished(old, parts, rule, inner, sums);
      StoredRows rows = new StoredRows(space.id(), old.starts(), finished);
      factors.set(mode, new FactorVersion(mode, old.number() + 1, rank, type, old.starts(), rows));
      done = true;
      runner.ran(pass, System.nanoTime() - start);
      return sums;
    } finally {
      Broadcast<Integer> unused = done ? spaces.set(mode, space) : space;
      if (unused != decomposition) {
        unused.destroy();
      }
    }
  }

  private JavaRDD<FactorSums> sums(ModePlan pass, FactorUpdate update) {
    List<DenseOperand> operands = new ArrayList<>();
    for (Operand operand : pass.kernel().operands()) {
      operands.add(
          new FactorOperand(
              operand.name(),
              pass.kernel().isSliced(operand),
              factors.get(operand.mode()),
              decomposition));
    }
    if (pass.kernel().merge() == Merge.ROWS) {
      return runner
          .resident(pass)
          .partitions()
          .mapPartitions(new OwnedRows(runner.step(pass, operands), update));
    }
    JavaRDD<RowBlock> rows = runner.rows(pass, operands);
    return SummedRows.of(rows, update.previous().starts())
        .mapPartitionsWithIndex(new AddedRows(update), true);
  }

  private FactorUpdate update(
      FactorVersion factor, RowUpdate rule, boolean inner, Broadcast<Integer> space) {
    int executors = context.sc().statusTracker().getExecutorInfos().length - 1;
    return new FactorUpdate(
        runner.image(),
        plan.algebra().stream().map(KernelRequest::symbol).toList(),
        rule,
        inner,
        factor,
        space.id(),
        Math.max(1, Math.min(COPIES, executors)),
        plan.resources().kernelThreads());
  }

  /** The sums of all tasks, added in the order of their partitions. */
  private Sums summed(List<FactorSums> parts) {
    double[] gram = new double[rank * rank];
    double[] inner = new double[rank];
    for (FactorSums part : parts) {
      add(gram, part.gram());
      add(inner, part.inner());
    }
    return new Sums(gram, inner);
  }

  private static void add(double[] sums, double[] more) {
    for (int i = 0; i < more.length; i++) {
      sums[i] += more[i];
    }
  }

  /** The rows of split slices: added up, brought up to date, and counted in the sums. */
  private double[][] finished(
      FactorVersion old, List<FactorSums> parts, RowUpdate rule, boolean inner, Sums sums) {
    double[][] finished = new double[old.ranges()][];
    Arrays.fill(finished, StoredRows.IN_STORE);
    for (FactorSums part : parts) {
      if (part.shared().length > 0) {
        int range = old.rangeOf(part.firstRow());
        if (finished[range].length == 0) {
          finished[range] = new double[part.shared().length];
        }
        add(finished[range], part.shared());
      }
    }
    for (int range = 0; range < finished.length; range++) {
      double[] rows = finished[range];
      double[] before =
          rows.length == 0 ? rows : old.rows(old.starts()[range], old.starts()[range + 1]);
      for (int at = 0; at < rows.length; at += rank) {
        double[] m = Arrays.copyOfRange(rows, at, at + rank);
        double[] row = Arrays.copyOfRange(before, at, at + rank);
        rule.applyToRow(row, 0, m);
        finish(row, m, inner, sums);
        System.arraycopy(row, 0, rows, at, rank);
      }
    }
    return finished;
  }

  private void finish(double[] row, double[] m, boolean inner, Sums sums) {
    for (int r = 0; r < rank; r++) {
      row[r] = type == ValueType.FLOAT ? (float) row[r] : row[r];
    }
    for (int r = 0; r < rank; r++) {
      for (int s = 0; s < rank; s++) {
        sums.gram()[r * rank + s] += row[r] * row[s];
      }
      sums.inner()[r] += inner ? m[r] * row[r] : 0;
    }
  }

  @Override
  public DenseMatrix factor(int mode) {
    FactorVersion factor = factors.get(mode);
    List<Integer> ranges = IntStream.range(0, factor.ranges()).boxed().toList();
    runner.describe("cpd: collect factor " + mode);
    Iterator<RowBlock> blocks =
        Wire.iterator(
            context
                .parallelize(ranges, Math.max(1, ranges.size()))
                .flatMap(FactorRange.rows(factor)));
    DenseMatrix matrix = DenseMatrix.zeros(factor.rows(), rank);
    while (blocks.hasNext()) {
      RowBlock block = blocks.next();
      for (int row = 0; row < block.rows(); row++) {
        matrix.setRow(block.firstRow() + row, block.values(), row * rank);
      }
    }
    return matrix;
  }

  @Override
  public void close() {
    for (Broadcast<Integer> space : spaces) {
      if (space != decomposition) {
        space.destroy();
      }
    }
    given.forEach(Sent::destroy);
    decomposition.destroy();
  }
}
