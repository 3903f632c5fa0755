package org.weft.jobs.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.planner.Forms;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.Planner;
import org.weft.planner.PlannerOptions;
import org.weft.planner.job.FiberStatement;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.kernel.Merge;
import org.weft.planner.kernel.Operand;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;
import org.weft.planner.tune.BlockFormats;
import org.weft.planner.tune.TileFormats;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelLibrary;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Makes the workloads of one tensor. Matrix kernels go through the evaluator, tensor kernels
 * through the planner, as users' own do. Packed tensors are shared by workloads and live as long as
 * this; dense operands live as long as the scope that is given for them.
 */
public final class Workloads implements AutoCloseable {
  /** Columns of the dense operands of SpMM and SDDMM. */
  public static final int COLUMNS = 32;

  /** Share of empty rows from which on it pays to store which are not. */
  private static final double MANY_EMPTY = 0.125;

  /** Seed of the dense operands. */
  static final long OPERAND_SEED = 17;

  /** Of a decomposition: one to warm up, then those that count. */
  private static final int ITERATIONS = 4;

  private final TensorCompiler compiler;
  private final ValueType type;
  private final BenchTensor tensor;
  private final List<Integer> threads;
  private final MemoryScope scope;
  private final TensorStatistics statistics;
  private final Map<String, TensorStorage> packed = new HashMap<>();
  private final Map<String, TensorStorage> dense = new HashMap<>();
  private final StatementWorkloads statements;

  /**
   * @param threads numbers of threads to make each workload for
   */
  public Workloads(
      TensorCompiler compiler,
      MemoryScope parent,
      BenchTensor tensor,
      List<Integer> threads,
      ValueType type) {
    this.compiler = compiler;
    this.type = type;
    this.tensor = tensor;
    this.threads = List.copyOf(threads);
    this.scope = parent.child(tensor.name());
    this.statistics = tensor.statistics();
    this.statements = new StatementWorkloads(compiler, scope, threads);
  }

  /**
   * The workloads of one kernel at one rank; none if it does not apply to the tensor.
   *
   * @param rank of TTM and MTTKRP; others ignore it
   * @param operands owner of dense operands and results
   */
  public List<Workload> of(BenchKernel kernel, int rank, MemoryScope operands) {
    if (!kernel.appliesTo(tensor.shape().order())) {
      return List.of();
    }
    dense.clear();
    int last = tensor.shape().order() - 1;
    return switch (kernel) {
      case SPMV -> spmv(operands);
      case SPMM -> spmm(operands);
      case SDDMM -> sddmm(operands);
      case ADD -> tensor.partner().isPresent() ? add() : List.of();
      case SPGEMM -> tensor.partner().isPresent() && isSquare() ? spgemm() : List.of();
      case TTV -> planned(Job.of(FiberStatement.ttv(last), type), "mode " + last, operands);
      case TTM ->
          planned(
              Job.of(FiberStatement.ttm(last, rank), type), "mode " + last + " R" + rank, operands);
      case MTTKRP -> {
        List<Workload> modes = new ArrayList<>();
        for (int mode = 0; mode <= last; mode++) {
          modes.addAll(
              planned(
                  Job.of(RowStatement.mttkrp(last + 1, mode, rank), type),
                  "mode " + mode + " R" + rank,
                  operands));
        }
        yield modes;
      }
      case CP_ALS -> type == ValueType.DOUBLE ? leastSquares(rank, operands) : List.of();
    };
  }

  private boolean isSquare() {
    return tensor.shape().size(0) == tensor.shape().size(1);
  }

  /** CSR, its stored rows alone where many are empty, and blocks where they take fewer bytes. */
  private List<Workload> spmv(MemoryScope operands) {
    TensorStorage x = dense(operands, tensor.shape().size(1));
    TensorStorage y = result(operands, TensorShape.of(tensor.shape().size(0)));
    List<Workload> made = new ArrayList<>();
    for (TensorStorage a : formatsForSpmv(matrix())) {
      Work work =
          new Work(
              statistics.entries(),
              2.0 * statistics.entries(),
              a.byteSize() + Work.gathered(matrix(), 1, type.bytes()) + columnBytes(0, 1));
      made.addAll(
          statement(
              BenchKernel.SPMV,
              "y(i) = A(i,j) * x(j)",
              structure(a),
              Map.of("A", a, "x", x),
              y,
              work));
    }
    return made;
  }

  private List<TensorStorage> formatsForSpmv(TensorStorage csr) {
    List<TensorStorage> all = new ArrayList<>(List.of(csr));
    long rows = tensor.shape().size(0);
    long empty = 0;
    for (long row = 0; row < rows; row++) {
      empty += csr.pos(1).getLong(row) == csr.pos(1).getLong(row + 1) ? 1 : 0;
    }
    if (empty > MANY_EMPTY * rows) {
      TensorFormat stored = TensorFormat.parse("DCSR", tensor.shape(), tensor.entries(), type);
      all.add(packed("A", stored, tensor.blocks()));
    }
    for (TensorFormat format : BlockFormats.of(csr).keySet()) {
      all.add(packed("A", format, tensor.blocks()));
    }
    return all;
  }

  /** What is special about the storage of a matrix; empty for CSR. */
  private static String structure(TensorStorage a) {
    TensorFormat format = a.format();
    if (format.isOrdinary()) {
      return format.level(0).properties().full() ? "" : "stored rows";
    }
    long columns = format.levelSize(a.shape(), 3);
    return format.level(3).properties().full()
        ? format.levelSize(a.shape(), 2) + " x " + columns + " blocks"
        : "tiles of " + columns;
  }

  /** CSR, and tiles where they keep rows of the operand in the second-level cache. */
  private List<Workload> spmm(MemoryScope operands) {
    TensorStorage csr = matrix();
    TensorStorage x = dense(operands, tensor.shape().size(1), COLUMNS);
    TensorStorage y = result(operands, TensorShape.of(tensor.shape().size(0), COLUMNS));
    double rowBytes = (double) COLUMNS * type.bytes();
    List<TensorStorage> all = new ArrayList<>(List.of(csr));
    for (TensorFormat tiles : TileFormats.of(csr, rowBytes, MachineParameters.ofThisMachine())) {
      all.add(packed("A", tiles, tensor.blocks()));
    }
    List<Workload> made = new ArrayList<>();
    for (TensorStorage a : all) {
      Work work =
          new Work(
              csr.storedEntries(),
              2.0 * csr.storedEntries() * COLUMNS,
              a.byteSize() + rowBytes(a, rowBytes) + columnBytes(0, COLUMNS));
      made.addAll(
          statement(
              BenchKernel.SPMM,
              "Y(i,k) = A(i,j) * X(j,k)",
              structure(a),
              Map.of("A", a, "X", x),
              y,
              work));
    }
    return made;
  }

  /** Bytes of the operand's rows that must move: in tiles each once. */
  private double rowBytes(TensorStorage a, double rowBytes) {
    return a.format().isOrdinary() ? Work.gathered(a, 1, (long) rowBytes) : columnBytes(1, COLUMNS);
  }

  private List<Workload> sddmm(MemoryScope operands) {
    TensorStorage a = matrix();
    TensorStorage b = dense(operands, tensor.shape().size(0), COLUMNS);
    TensorStorage d = dense(operands, tensor.shape().size(1), COLUMNS);
    Work work =
        new Work(
            a.storedEntries(),
            a.storedEntries() * (2.0 * COLUMNS + 1),
            2 * a.byteSize()
                + columnBytes(0, COLUMNS)
                + Work.gathered(a, 1, (long) COLUMNS * type.bytes()));
    return statement(
        BenchKernel.SDDMM,
        "C(i,j) = A(i,j) * B(i,k) * D(j,k)",
        Map.of("A", a, "B", b, "D", d),
        work);
  }

  private List<Workload> add() {
    TensorStorage a = matrix();
    TensorStorage b = partner();
    double entries = (double) a.storedEntries() + b.storedEntries();
    return statement(
        BenchKernel.ADD,
        "C(i,j) = A(i,j) + B(i,j)",
        Map.of("A", a, "B", b),
        new Work(entries, entries, 2.0 * (a.byteSize() + b.byteSize())));
  }

  private List<Workload> spgemm() {
    TensorStorage a = matrix();
    TensorStorage b = partner();
    double multiplies = 0;
    for (long p = 0; p < a.storedEntries(); p++) {
      long k = a.crd(1).getLong(p);
      multiplies += b.pos(1).getLong(k + 1) - b.pos(1).getLong(k);
    }
    double entries = (double) a.storedEntries() + b.storedEntries();
    return statement(
        BenchKernel.SPGEMM,
        "C(i,j) = A(i,k) * B(k,j)",
        Map.of("A", a, "B", b),
        new Work(entries, 2 * multiplies, a.byteSize() + b.byteSize()));
  }

  /** A statement whose result is dense: computed in place. */
  private List<Workload> statement(
      BenchKernel kernel,
      String expression,
      String parameters,
      Map<String, TensorStorage> operands,
      TensorStorage result,
      Work work) {
    StatementInput input = StatementInput.of(expression, operands, result.format());
    return statements.into(result, kernel.label(), parameters, input, work);
  }

  /** A statement whose result is sparse, in the format that the evaluator chooses. */
  private List<Workload> statement(
      BenchKernel kernel, String expression, Map<String, TensorStorage> operands, Work work) {
    StatementInput input = StatementInput.of(expression, operands, TensorFormat.dense(2, type));
    TensorFormat chosen = new Evaluator(compiler, 1).resultFormat(input);
    return statements.making(kernel.label(), "", input.withResultFormat(chosen), work);
  }

  /** A job of one pass on one partition, the whole tensor. */
  private List<Workload> planned(Job job, String parameters, MemoryScope operands) {
    List<Workload> made = new ArrayList<>();
    for (int count : threads) {
      made.add(planned(job, plan(job, count), parameters, count, operands));
    }
    return made;
  }

  private JobPlan plan(Job job, int count) {
    PlannerOptions options =
        PlannerOptions.defaults()
            .withPartitions(1)
            .withMachine(MachineParameters.ofThisMachine())
            .withForms(Forms.ALL);
    return new Planner(compiler, options)
        .plan(job, statistics, new Resources(1, count, count, Runtime.getRuntime().maxMemory()));
  }

  private Workload planned(
      Job job, JobPlan plan, String parameters, int count, MemoryScope operands) {
    ModePlan pass = plan.only();
    KernelPlan chosen = pass.kernel();
    TensorStorage sparse = packed("T", chosen.tensorFormat(), tensor.blocks());
    Map<String, TensorStorage> bound = new HashMap<>(Map.of(chosen.tensor(), sparse));
    for (Operand operand : chosen.operands()) {
      long rows = tensor.shape().size(operand.mode());
      bound.put(
          operand.name(),
          operand.isVector() ? dense(operands, rows) : dense(operands, rows, operand.columns()));
    }
    TensorShape shape = pass.resultShape();
    boolean inPlace = chosen.merge() != Merge.ENTRIES;
    Work work = work(pass, sparse);
    Kernel kernel = kernel(plan, chosen);
    if (inPlace) {
      bound.put(chosen.result(), result(operands, shape));
    }
    Workload.Call call = use -> run(kernel, chosen, bound, shape, count, inPlace, use);
    return new Workload(job.name(), parameters, pass.mode(), count, work, call);
  }

  private Work work(ModePlan pass, TensorStorage sparse) {
    double bytes = sparse.byteSize() + resultBytes(sparse, pass.resultShape(), pass.kernel());
    double flops = 0;
    for (Operand operand : pass.kernel().operands()) {
      int columns = Math.max(1, operand.columns());
      bytes += Work.gathered(sparse, operand.mode(), (long) columns * type.bytes());
      flops += 2.0 * columns * sparse.positions(Work.levelOf(sparse.format(), operand.mode()));
    }
    return new Work(sparse.storedEntries(), flops, bytes);
  }

  private static Kernel kernel(JobPlan plan, KernelPlan chosen) {
    try (KernelLibrary library = KernelLibrary.open(plan.image())) {
      return Kernel.of(library, plan.image(), chosen.request().symbol());
    }
  }

  /** An iteration from random factors after the first, in this process: the mean of several. */
  private List<Workload> leastSquares(int rank, MemoryScope operands) {
    List<Workload> made = new ArrayList<>();
    Cpd cpd = new Cpd(rank, ITERATIONS, 0, false, OPERAND_SEED, type);
    for (int count : threads) {
      Work work = new Work(statistics.entries(), 0, 0);
      for (ModePlan pass : plan(cpd.job(tensor.shape()), count).modes()) {
        work = work.plus(work(pass, packed("T", pass.kernel().tensorFormat(), tensor.blocks())));
        // M is read once, the factor is written and read once; two products with R x R.
        double cells = pass.resultShape().cells();
        work = work.plus(new Work(0, 4 * rank * cells, 3 * cells * type.bytes()));
      }
      Work all = new Work(statistics.entries(), work.flops(), work.bytes());
      Workload.Call call = use -> leastSquares(cpd, count, operands, use);
      made.add(new Workload(BenchKernel.CP_ALS.label(), "R" + rank, 0, count, all, call));
    }
    return made;
  }

  private double leastSquares(
      Cpd cpd, int count, MemoryScope operands, Consumer<TensorStorage> use) {
    EngineOptions options = EngineOptions.defaults().withThreadsPerTask(count);
    try (Engine engine = LocalBackend.engine(FileAccess.of(new Configuration()), options);
        MemoryScope own = operands.child("cp-als")) {
      EngineTensor entries = engine.of(tensor.name(), tensor.shape(), tensor.blocks(), type);
      CpdResult result = engine.cpd(entries, cpd, ProgressListener.NONE);
      DenseMatrix last = result.factors().get(tensor.shape().order() - 1);
      TensorStorage factor =
          TensorStorage.dense(own, TensorShape.of(last.rows(), last.columns()), type);
      last.copyTo(factor.vals().address());
      use.accept(factor);
      return result.seconds().stream().skip(1).mapToDouble(s -> s).sum() / (ITERATIONS - 1);
    }
  }

  private double run(
      Kernel kernel,
      KernelPlan plan,
      Map<String, TensorStorage> bound,
      TensorShape shape,
      int count,
      boolean inPlace,
      Consumer<TensorStorage> use) {
    if (inPlace) {
      TensorStorage result = require(bound.get(plan.result()));
      long start = System.nanoTime();
      result.clear(count);
      kernel.run(bound, Map.of(), scope, count);
      double seconds = (System.nanoTime() - start) * 1e-9;
      use.accept(result);
      return seconds;
    }
    return Workload.seconds(
        () ->
            require(
                kernel.run(bound, Map.of(plan.result(), shape), scope, count).get(plan.result())),
        use);
  }

  /** A dense result once; a sparse one has the coordinates of all levels of T but the last. */
  private double resultBytes(TensorStorage sparse, TensorShape shape, KernelPlan plan) {
    if (plan.merge() != Merge.ENTRIES) {
      return shape.cells() * type.bytes();
    }
    double bytes = 0;
    int levels = sparse.format().levelCount() - 1;
    for (int level = 0; level < levels; level++) {
      bytes += sparse.hasPos(level) ? sparse.pos(level).byteSize() : 0;
      bytes += sparse.hasCrd(level) ? sparse.crd(level).byteSize() : 0;
    }
    return bytes + (double) sparse.positions(levels - 1) * Math.max(1, plan.rank()) * type.bytes();
  }

  private double columnBytes(int mode, int columns) {
    return (double) tensor.shape().size(mode) * columns * type.bytes();
  }

  private TensorStorage matrix() {
    return packed("A", csr(tensor.entries()), tensor.blocks());
  }

  private TensorStorage partner() {
    List<CooBlock> blocks = tensor.partner().orElseThrow().get();
    return packed("B", csr(blocks.stream().mapToLong(CooBlock::size).sum()), blocks);
  }

  private TensorFormat csr(long entries) {
    return TensorFormat.parse("CSR", tensor.shape(), entries, type);
  }

  private TensorStorage packed(String name, TensorFormat format, List<CooBlock> blocks) {
    return packed.computeIfAbsent(
        name + " " + format, key -> Packing.pack(scope, tensor.shape(), format, blocks));
  }

  /** Zeros, shared by workloads with a result of that shape. */
  private TensorStorage result(MemoryScope owner, TensorShape shape) {
    return dense.computeIfAbsent("result " + shape, key -> TensorStorage.dense(owner, shape, type));
  }

  /** Random numbers, shared by operands of that shape. */
  private TensorStorage dense(MemoryScope owner, long rows, int columns) {
    TensorShape shape = TensorShape.of(rows, columns);
    return dense.computeIfAbsent(
        "operand " + shape, key -> filled(TensorStorage.dense(owner, shape, type), rows, columns));
  }

  private TensorStorage dense(MemoryScope owner, long rows) {
    return dense.computeIfAbsent(
        "operand " + rows,
        key -> filled(TensorStorage.dense(owner, TensorShape.of(rows), type), rows, 1));
  }

  private TensorStorage filled(TensorStorage storage, long rows, int columns) {
    DenseMatrix random = DenseMatrix.random(rows, columns, OPERAND_SEED);
    switch (type) {
      case DOUBLE -> random.copyTo(storage.vals().address());
      case FLOAT -> random.copyToFloats(storage.vals().address());
      case INT, LONG ->
          throw new WeftException(
              ErrorCode.USAGE, "expected --type double or float, found " + type.keyword());
    }
    return storage;
  }

  private static TensorStorage require(@org.jspecify.annotations.Nullable TensorStorage storage) {
    if (storage == null) {
      throw new IllegalStateException("the kernel has no such tensor");
    }
    return storage;
  }

  @Override
  public void close() {
    statements.close();
    scope.close();
  }
}
