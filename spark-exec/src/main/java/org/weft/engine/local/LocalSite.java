package org.weft.engine.local;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RandomRows;
import org.weft.decomposition.rows.RangeOfRows;
import org.weft.decomposition.rows.RangesOfRows;
import org.weft.decomposition.rows.RowBlocks;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.SmallMatrix;
import org.weft.decomposition.rows.Step;
import org.weft.decomposition.rows.Sums;
import org.weft.engine.Passes;
import org.weft.engine.entries.Shared;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.job.ModeGroup;
import org.weft.planner.kernel.Operand;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.runtime.ColumnPasses;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelLibrary;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * The rows and the steps of a method in this process. The rows lie off the heap, and every step
 * finds them in place.
 */
final class LocalSite implements Site {
  private static final int CHUNK_ROWS = 1 << 14;

  private final FileAccess files;
  private final LocalTensor tensor;
  private final JobPlan plan;
  private final Passes.Packed packed;
  private final LocalKernels kernels;
  private final MemoryScope scope;
  private final Regions regions;
  private final boolean reproducible;
  private final Map<String, Kernel> algebra = new HashMap<>();
  private final Map<Result, TensorStorage> results = new HashMap<>();
  private final Map<Other, TensorStorage> others = new HashMap<>();

  /**
   * @param kernels of the plan
   * @param scope owner of all rows
   * @param reproducible whether sums over rows are added up as executors do
   */
  LocalSite(
      FileAccess files,
      LocalTensor tensor,
      JobPlan plan,
      Passes.Packed packed,
      LocalKernels kernels,
      MemoryScope scope,
      boolean reproducible) {
    this.files = files;
    this.tensor = tensor;
    this.plan = plan;
    this.packed = packed;
    this.kernels = kernels;
    this.scope = scope;
    this.reproducible = reproducible;
    this.regions = new Regions(scope);
    try (KernelLibrary library = KernelLibrary.open(plan.image())) {
      for (KernelRequest request : plan.algebra()) {
        String symbol = request.symbol();
        algebra.put(symbol, Kernel.of(library, plan.image(), symbol).reproducible());
      }
    }
  }

  /** Where a statement's result goes. */
  private record Result(int statement, long address) {}

  /** Rows of another site. */
  private record Other(long address, TensorShape shape) {}

  /** Rows off the heap. */
  private final class LocalRows implements Rows {
    private final int mode;
    private final Regions.Region region;
    private final TensorStorage storage;

    LocalRows(int mode, int columns, ValueType type) {
      long count = shape().size(mode);
      this.mode = mode;
      this.region = regions.take(Math.multiplyExact(count * columns, type.bytes()));
      this.storage =
          TensorStorage.denseView(scope, TensorShape.of(count, columns), type, region.address());
      kernels.changed(region.address());
    }

    LocalSite site() {
      return LocalSite.this;
    }

    @Override
    public int mode() {
      return mode;
    }

    @Override
    public long count() {
      return storage.shape().size(0);
    }

    @Override
    public int columns() {
      return Math.toIntExact(storage.shape().size(1));
    }

    @Override
    public ValueType type() {
      return storage.format().valueType();
    }

    /** Sets rows by chunks of what the user numbers, on several threads. */
    LocalRows fill(RowSource source) {
      long chunks = (count() + CHUNK_ROWS - 1) / CHUNK_ROWS;
      @Nullable Permutation there = order(mode);
      IntStream.range(0, Math.toIntExact(chunks))
          .parallel()
          .forEach(
              chunk -> {
                long from = (long) chunk * CHUNK_ROWS;
                source.forEach(
                    from,
                    Math.min(count(), from + CHUNK_ROWS),
                    (row, values) -> put(values, there == null ? row : there.apply(row)));
              });
      return this;
    }

    private void put(double[] row, long i) {
      if (type() == ValueType.DOUBLE) {
        long address = region.address() + i * row.length * Double.BYTES;
        NativeMemory.copyFromArray(row, 0, address, row.length);
        return;
      }
      for (int r = 0; r < row.length; r++) {
        storage.vals().setDouble(i * row.length + r, row[r]);
      }
    }

    /** Views of the region stay: kernels that were bound to it may be called again. */
    @Override
    public void close() {
      regions.give(region);
    }
  }

  /** From the numbers of the user's slices to those of packed rows; null where they are equal. */
  private @Nullable Permutation order(int mode) {
    Relabelling order = tensor.relabelling();
    return order == null ? null : order.mode(mode);
  }

  @Override
  public TensorShape shape() {
    return tensor.statistics().shape();
  }

  @Override
  public double normSquared() {
    return packed.normSquared();
  }

  @Override
  public long entries() {
    return packed.storedEntries();
  }

  @Override
  public List<ModeGroup> groups() {
    return plan.groups();
  }

  @Override
  public long place(int mode, long slice) {
    return tensor.place(mode, slice);
  }

  @Override
  public Rows rows(int mode, int columns, ValueType type) {
    return new LocalRows(mode, columns, type);
  }

  @Override
  public Rows random(int mode, int columns, ValueType type, long seed) {
    return given(mode, new RandomRows(seed, shape().size(mode), columns), type);
  }

  @Override
  public Rows given(int mode, RowSource matrix, ValueType type) {
    return new LocalRows(mode, matrix.columns(), type).fill(matrix);
  }

  /** A dense operand of a kernel off the heap, from a matrix. */
  TensorStorage given(Operand operand, RowSource matrix) {
    ValueType type = plan.job().valueType();
    TensorStorage rows = new LocalRows(operand.mode(), matrix.columns(), type).fill(matrix).storage;
    return operand.isVector()
        ? TensorStorage.denseView(scope, TensorShape.of(matrix.rows()), type, rows.vals().address())
        : rows;
  }

  @Override
  public Sums run(Step step) {
    Map<String, TensorStorage> rows = new HashMap<>();
    step.rows().forEach((name, each) -> rows.put(name, ((LocalRows) each).storage));
    Optional<LocalRows> temporary =
        step.product().flatMap(product -> product(step.mode(), product, rows));
    Map<String, SmallMatrix> small = SmallMatrix.of(step.small());
    Sums sums = reproducible ? byBlocks(step, rows, small) : run(step, rows, small, scope);
    step.written()
        .forEach(name -> kernels.changed(Objects.requireNonNull(rows.get(name)).vals().address()));
    temporary.ifPresent(LocalRows::close);
    return sums;
  }

  private Sums run(
      Step step, Map<String, TensorStorage> rows, Map<String, SmallMatrix> small, MemoryScope own) {
    return new RangeOfRows(algebra::get, plan.resources().coresPerExecutor(), rows, own)
        .run(step.operations(), small);
  }

  /** The operations on the ranges and blocks in which executors have the rows, in order. */
  private Sums byBlocks(
      Step step, Map<String, TensorStorage> rows, Map<String, SmallMatrix> small) {
    List<Long> read = step.read().stream().map(name -> rowBytes(rows, name)).toList();
    List<Long> written = step.written().stream().map(name -> rowBytes(rows, name)).toList();
    long[] starts = RangesOfRows.starts(plan, step.mode(), RangesOfRows.mostOf(plan));
    Sums all = Sums.zeros(step.operations());
    for (int range = 0; range + 1 < starts.length; range++) {
      Sums sums = Sums.zeros(step.operations());
      long count = starts[range + 1] - starts[range];
      for (long row = 0; row < count; ) {
        long end = RowBlocks.end(row, count, read, written);
        long from = starts[range] + row;
        long length = end - row;
        try (MemoryScope block = scope.child("step on rows")) {
          Map<String, TensorStorage> some = new HashMap<>(rows);
          some.replaceAll((name, matrix) -> RangeOfRows.range(matrix, from, length, block));
          sums.add(run(step, some, small, block));
        }
        row = end;
      }
      all.add(sums);
    }
    return all;
  }

  private static long rowBytes(Map<String, TensorStorage> rows, String name) {
    TensorStorage matrix = Objects.requireNonNull(rows.get(name));
    return RangeOfRows.columns(matrix) * (long) matrix.format().valueType().bytes();
  }

  /**
   * Rows as kernels read them. Kernels stay bound to addresses: those of another site, whose rows
   * may go before, are seen through views of this one.
   */
  private TensorStorage operand(LocalRows rows) {
    TensorStorage storage = rows.storage;
    long address = storage.vals().address();
    if (rows.site() == this) {
      return storage;
    }
    kernels.changed(address); // by the other site, perhaps
    return others.computeIfAbsent(
        new Other(address, storage.shape()),
        key -> TensorStorage.denseView(scope, key.shape(), rows.type(), address));
  }

  /** Runs a statement; returns its rows if the step has no place for them. */
  private Optional<LocalRows> product(
      int mode, Step.Product product, Map<String, TensorStorage> rows) {
    ModePlan pass = plan.modes().get(product.statement());
    TensorShape shape = pass.resultShape();
    Optional<LocalRows> temporary = Optional.empty();
    if (!rows.containsKey(product.name())) {
      int columns = Math.max(1, pass.kernel().rank());
      temporary = Optional.of(new LocalRows(mode, columns, plan.job().valueType()));
      rows.put(product.name(), temporary.get().storage);
    }
    long address = Objects.requireNonNull(rows.get(product.name())).vals().address();
    List<TensorStorage> operands = new ArrayList<>();
    for (Rows factor : product.factors()) {
      operands.add(operand((LocalRows) factor));
    }
    TensorStorage result =
        results.computeIfAbsent(
            new Result(product.statement(), address),
            key -> TensorStorage.denseView(scope, shape, plan.job().valueType(), address));
    kernels.run(pass, operands, result);
    return temporary;
  }

  @Override
  public DenseMatrix collect(Rows rows) {
    return moved(rows, tensor.originalCoordinates());
  }

  @Override
  public DenseMatrix result(Factor factor) {
    DenseMatrix result = moved(factor.rows(), tensor.resultRelabelling());
    int columns = factor.scale().length;
    for (int c = 0; c < result.chunkCount(); c++) {
      double[] chunk = result.chunk(c);
      ColumnPasses.scaleRows(chunk, chunk.length / Math.max(1, columns), factor.scale());
    }
    return result;
  }

  private static DenseMatrix moved(Rows rows, @Nullable Shared<Relabelling> relabelling) {
    TensorStorage storage = ((LocalRows) rows).storage;
    DenseMatrix copy = DenseMatrix.zeros(rows.count(), rows.columns());
    if (rows.type() == ValueType.FLOAT) {
      copy.copyFromFloats(storage.vals().address());
    } else {
      copy.copyFrom(storage.vals().address());
    }
    return relabelling == null ? copy : relabelling.value().applyToRows(rows.mode(), copy);
  }

  @Override
  public void write(List<Factor> factors, List<String> uris) {
    boolean moved = tensor.resultRelabelling() != null;
    for (int f = 0; f < factors.size(); f++) {
      Factor factor = factors.get(f);
      write(factor, moved ? order(factor.rows().mode()) : null, uris.get(f));
    }
  }

  @Override
  public void save(Rows rows, String uri) {
    double[] ones = new double[rows.columns()];
    Arrays.fill(ones, 1);
    write(new Factor(rows, ones), order(rows.mode()), uri);
  }

  private void write(Factor factor, @Nullable Permutation there, String uri) {
    Rows rows = factor.rows();
    NativeArray values = ((LocalRows) rows).storage.vals();
    int columns = rows.columns();
    try (OutputCommit output = OutputCommit.begin(files, uri, true)) {
      try (OutputStream out = new BufferedOutputStream(output.create(), 1 << 16)) {
        NpyFile.write(
            out,
            rows.count(),
            columns,
            (from, count, into) -> {
              if (there == null) {
                values.getDoubles(from * columns, into, 0, count * columns);
              } else {
                for (int row = 0; row < count; row++) {
                  values.getDoubles(
                      there.apply(from + row) * columns, into, row * columns, columns);
                }
              }
              ColumnPasses.scaleRows(into, count, factor.scale());
            });
      }
      output.commit();
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }
}
