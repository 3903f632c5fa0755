package org.weft.engine.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.Method;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.Engine;
import org.weft.engine.JobClock;
import org.weft.engine.OutputTarget;
import org.weft.engine.Passes;
import org.weft.engine.ProgressListener;
import org.weft.engine.TaskMeasurement;
import org.weft.engine.entries.Shared;
import org.weft.memory.MemoryScope;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.PackedForm;
import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.kernel.Merge;
import org.weft.planner.kernel.Operand;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.runtime.Kernel;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** Runs the passes of a plan in this process. */
final class LocalPasses implements Passes {
  private static final int BLOCK_ENTRIES = 1 << 16;

  private final FileAccess files;
  private final LocalTensor tensor;
  private final JobPlan plan;
  private final JobClock clock;
  private final Workers workers;
  private final MemoryScope scope;
  private final boolean reproducible;

  /**
   * @param scope owner of operands and results; closed with this
   */
  LocalPasses(
      FileAccess files,
      LocalTensor tensor,
      JobPlan plan,
      JobClock clock,
      Workers workers,
      MemoryScope scope,
      boolean reproducible) {
    this.files = files;
    this.tensor = tensor;
    this.plan = plan;
    this.clock = clock;
    this.workers = workers;
    this.scope = scope;
    this.reproducible = reproducible;
  }

  @Override
  public void pack(List<ModePlan> passes) {
    List<PackedForm> forms = passes.stream().map(ModePlan::form).toList();
    tensor.pack(forms, (long) plan.predicted().bytesBesideTensor(), clock);
  }

  @Override
  public Packed packed(ModePlan pass) {
    pack(List.of(pass));
    long stored = 0;
    double norm = 0;
    for (FormParts.Part part : tensor.parts(pass.form())) {
      stored += part.storage().storedEntries();
      norm += part.normSquared();
    }
    return new Packed(stored, norm);
  }

  private LocalKernels kernels() {
    return new LocalKernels(tensor, plan, clock, workers, scope, reproducible);
  }

  @Override
  public <M> M run(Method<M> method, Packed packed, ProgressListener progress, Engine.Keep<M> keep)
      throws IOException {
    pack(plan.modes());
    LocalSite site = new LocalSite(files, tensor, plan, packed, kernels(), scope, reproducible);
    M model = method.run(site, progress.observer(method));
    long start = System.nanoTime();
    keep.keep(model, site);
    clock.add("write", System.nanoTime() - start);
    return model;
  }

  @Override
  public void write(ModePlan pass, List<RowSource> operands, OutputTarget out) {
    Packed packed = packed(pass);
    LocalKernels kernels = kernels();
    LocalSite site = new LocalSite(files, tensor, plan, packed, kernels, scope, reproducible);
    List<TensorStorage> byMode = byMode(pass, operands, site);
    TensorShape shape = pass.writtenShape();
    if (pass.kernel().merge() == Merge.ENTRIES) {
      long start = System.nanoTime();
      List<TensorStorage> made = entries(pass, kernels, byMode);
      clock.ran(plan, pass, System.nanoTime() - start);
      write(out, shape, output -> writeEntries(output, pass, made, shape));
    } else {
      TensorStorage result = TensorStorage.dense(scope, shape, plan.job().valueType());
      kernels.run(pass, byMode, result);
      write(out, shape, output -> output.write(original(pass, result)));
    }
  }

  /** The operands of a pass off the heap, by mode; modes without one have any. */
  private List<TensorStorage> byMode(ModePlan pass, List<RowSource> operands, LocalSite site) {
    List<@Nullable TensorStorage> byMode =
        new ArrayList<>(Collections.nCopies(pass.tensorShape().order(), null));
    TensorStorage any = TensorStorage.dense(scope, TensorShape.of(0), plan.job().valueType());
    for (int i = 0; i < operands.size(); i++) {
      Operand operand = pass.kernel().operands().get(i);
      byMode.set(operand.mode(), site.given(operand, operands.get(i)));
    }
    return byMode.stream().map(stored -> stored == null ? any : stored).toList();
  }

  /** The sparse results of all partitions with entries. */
  private List<TensorStorage> entries(
      ModePlan pass, LocalKernels bound, List<TensorStorage> byMode) {
    KernelPlan kernel = pass.kernel();
    Kernel code = bound.kernel(kernel);
    int threads = plan.resources().kernelThreads();
    List<TensorStorage> made = new ArrayList<>();
    List<FormParts.Part> parts = tensor.parts(pass.form());
    for (int number = 0; number < parts.size(); number++) {
      TensorStorage part = parts.get(number).storage();
      if (part.storedEntries() == 0) {
        continue;
      }
      Map<String, TensorStorage> inputs =
          new HashMap<>(bound.operands(kernel, code.copies(), parts.get(number).range(), byMode));
      inputs.put(kernel.tensor(), part);
      long bytes = inputs.values().stream().mapToLong(TensorStorage::byteSize).sum();
      long start = System.nanoTime();
      Map<String, TensorStorage> outputs =
          code.run(inputs, Map.of(kernel.result(), pass.resultShape()), scope, threads);
      long nanos = System.nanoTime() - start;
      TensorStorage result = Objects.requireNonNull(outputs.get(kernel.result()));
      parts.get(number).memory().evict();
      made.add(result);
      long flops = Math.round(part.storedEntries() * pass.flopsPerEntry());
      clock
          .measurements()
          .add(
              TaskMeasurement.of(
                  "kernel", number, nanos, part.storedEntries(), flops, bytes + result.byteSize()));
    }
    return made;
  }

  /** What goes into an output. */
  private interface Body {
    void writeTo(TensorOutput output) throws IOException;
  }

  private void write(OutputTarget out, TensorShape shape, Body body) {
    long start = System.nanoTime();
    WriteOptions options = out.options().withShape(shape);
    try (TensorOutput output =
        TensorFiles.create(files, out.uri(), out.overwrite(), shape.order(), options)) {
      body.writeTo(output);
      output.commit();
    } catch (IOException e) {
      throw FileAccess.unavailable(out.uri(), e);
    }
    clock.add("write", System.nanoTime() - start);
  }

  /** A dense result with the rows that the caller is to see. */
  private TensorStorage original(ModePlan pass, TensorStorage result) {
    Shared<Relabelling> back = tensor.resultRelabelling();
    if (back == null || pass.kernel().merge() != Merge.ROWS) {
      return result;
    }
    Permutation old = back.value().mode(pass.mode());
    TensorStorage moved = TensorStorage.dense(scope, result.shape(), result.format().valueType());
    long cells = result.shape().order() < 2 ? 1 : result.shape().size(1);
    for (long row = 0; row < result.shape().size(0); row++) {
      for (long r = 0; r < cells; r++) {
        double value = result.vals().getDouble(row * cells + r);
        moved.vals().setDouble(old.apply(row) * cells + r, value);
      }
    }
    return moved;
  }

  /** Results follow one another, unless slices were split or their coordinates have changed. */
  private void writeEntries(
      TensorOutput output, ModePlan pass, List<TensorStorage> made, TensorShape shape)
      throws IOException {
    Shared<Relabelling> back = tensor.resultRelabelling();
    if (back == null && !pass.partitioning().anyOverlapping()) {
      for (TensorStorage result : made) {
        Iterator<CooBlock> blocks = Packing.unpackBlocks(result, BLOCK_ENTRIES);
        while (blocks.hasNext()) {
          output.write(written(pass, blocks.next()));
        }
      }
      return;
    }
    List<CooBlock> blocks = new ArrayList<>();
    for (TensorStorage result : made) {
      CooBlock block = written(pass, Packing.unpack(result));
      blocks.add(back == null ? block : original(pass, block, back.value()));
    }
    CooBlock sorted = Packing.sorted(shape, pass.writtenOrder(), blocks);
    for (int from = 0; from < sorted.size(); from += BLOCK_ENTRIES) {
      output.write(sorted.slice(from, Math.min(sorted.size(), from + BLOCK_ENTRIES)));
    }
  }

  /** The block with its columns in the mode order of the written result; columns are shared. */
  private static CooBlock written(ModePlan pass, CooBlock block) {
    List<Integer> writtenModes = pass.kernel().writtenModes();
    Object[] columns = new Object[block.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      columns[writtenModes.get(mode)] =
          block.isWide(mode) ? block.longColumn(mode) : block.intColumn(mode);
    }
    return CooBlock.ofColumns(columns, block.values(), block.size());
  }

  private static CooBlock original(ModePlan pass, CooBlock block, Relabelling back) {
    int[] tensorModes = pass.tensorModes();
    Object[] columns = new Object[block.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      if (tensorModes[mode] < 0) {
        columns[mode] = block.isWide(mode) ? block.longColumn(mode) : block.intColumn(mode);
        continue;
      }
      int from = mode;
      Permutation old = back.mode(tensorModes[mode]);
      columns[mode] =
          IntStream.range(0, block.size())
              .map(e -> (int) old.apply(block.coordinate(from, e)))
              .toArray();
    }
    return CooBlock.ofColumns(columns, block.values(), block.size());
  }

  @Override
  public void close() {
    scope.close();
  }
}
