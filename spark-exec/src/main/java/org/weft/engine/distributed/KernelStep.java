package org.weft.engine.distributed;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.Shared;
import org.weft.memory.MemoryScope;
import org.weft.planner.distributed.CompiledStatement;
import org.weft.planner.distributed.LabelGrid;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Computes a statement in every part: packs the entries that have arrived for each operand, runs
 * the kernels, and hands the entries of the result on. Coordinates of the labels that the statement
 * is divided along start at 0 in every part while kernels run, so that memory is that of the part.
 *
 * @param statement what is computed
 * @param slots names of the operands, in the order of the slots' numbers
 * @param modes for each slot, its modes that have the label of each axis of the grid
 * @param grid of the parts
 * @param sizes of all labels; those of the grid are not used
 * @param resultModes modes of the result that have the label of each axis
 * @param order of the modes by which the result's entries are sorted before they are handed on;
 *     null for the order of the storage
 * @param threads of a kernel
 * @param reproducible whether results are the same bits for every number of threads
 */
record KernelStep(
    Shared<CompiledStatement> statement,
    List<String> slots,
    List<List<List<Integer>>> modes,
    LabelGrid grid,
    Map<String, Long> sizes,
    List<List<Integer>> resultModes,
    int @Nullable [] order,
    int threads,
    boolean reproducible)
    implements Parts.Step {
  private static final int BLOCK_ENTRIES = 1 << 16;

  @Override
  public Iterator<Piece> run(int part, Iterator<Piece> pieces, MemoryScope scope) {
    if (part >= grid.parts()) {
      return List.<Piece>of().iterator();
    }
    return handedOn(part, compute(arrived(part, pieces), grid.sizes(part, sizes), scope));
  }

  /** The entries of every slot, in their order. */
  private Map<String, List<CooBlock>> arrived(int part, Iterator<Piece> pieces) {
    List<List<Piece>> bySlot = new ArrayList<>();
    slots.forEach(slot -> bySlot.add(new ArrayList<>()));
    if (!slots.isEmpty()) { // otherwise the pieces are seeds
      pieces.forEachRemaining(piece -> bySlot.get(piece.slot()).add(piece));
    }
    Map<String, List<CooBlock>> entries = new HashMap<>();
    for (int slot = 0; slot < slots.size(); slot++) {
      List<Piece> own = bySlot.get(slot);
      own.sort(Comparator.comparingLong(Piece::origin));
      List<List<Integer>> labelled = modes.get(slot);
      entries.put(
          slots.get(slot),
          own.stream()
              .map(Piece::entries)
              .map(b -> Columns.shifted(b, grid.starts(part, labelled, b.order()), -1))
              .toList());
    }
    return entries;
  }

  private TensorStorage compute(
      Map<String, List<CooBlock>> entries, Map<String, Long> here, MemoryScope scope) {
    CompiledStatement compiled = statement.value();
    Map<String, TensorStorage> known = new HashMap<>();
    for (CompiledStatement.Packed form : compiled.operands()) {
      List<CooBlock> blocks = Objects.requireNonNull(entries.get(form.slot()), form.slot());
      TensorStorage packed = Packing.pack(scope, shape(form.labels(), here), form.format(), blocks);
      known.put(
          form.name(), form.nonzeros() ? repacked(packed, form.format(), true, scope) : packed);
    }
    String last = "";
    for (CompiledStatement.Step step : compiled.steps()) {
      last = step.result();
      known.put(last, run(step, known, here, scope));
    }
    return Objects.requireNonNull(known.get(last), last);
  }

  private TensorStorage run(
      CompiledStatement.Step step,
      Map<String, TensorStorage> known,
      Map<String, Long> here,
      MemoryScope scope) {
    if (step instanceof CompiledStatement.Repack repack) {
      TensorStorage source = Objects.requireNonNull(known.get(repack.source()));
      return repacked(source, repack.format(), repack.drops(), scope);
    }
    CompiledStatement.Compute compute = (CompiledStatement.Compute) step;
    Map<String, TensorStorage> operands = new HashMap<>();
    for (String name : compute.reads()) {
      operands.put(name, Objects.requireNonNull(known.get(name), name));
    }
    return kernel(compute.image())
        .evaluate(scope, operands, shape(compute.labels(), here), null, threads);
  }

  private Kernel kernel(KernelImage image) {
    try (KernelLibrary library = KernelLibrary.open(image)) {
      Kernel kernel = Kernel.of(library, image, image.kernels().get(0).symbol());
      return reproducible ? kernel.reproducible() : kernel;
    }
  }

  /** The entries of {@code source}, which is closed, in another format. */
  private static TensorStorage repacked(
      TensorStorage source, TensorFormat format, boolean dropZeros, MemoryScope scope) {
    CooBlock all = Packing.unpack(source);
    CooBlock entries = dropZeros ? Columns.nonzeros(all) : all;
    TensorStorage packed = Packing.pack(scope, source.shape(), format, List.of(entries));
    source.close();
    return packed;
  }

  private static TensorShape shape(List<String> labels, Map<String, Long> here) {
    return TensorShape.of(
        labels.stream().mapToLong(label -> Objects.requireNonNull(here.get(label))).toArray());
  }

  private Iterator<Piece> handedOn(int part, TensorStorage result) {
    long[] starts = grid.starts(part, resultModes, result.shape().order());
    Iterator<CooBlock> blocks = Packing.unpackBlocks(result, BLOCK_ENTRIES);
    if (order != null && !isSorted(result)) {
      List<CooBlock> all = new ArrayList<>();
      blocks.forEachRemaining(all::add);
      CooBlock sorted = Packing.sorted(result.shape(), order, all);
      blocks = List.of(sorted).iterator();
    }
    Iterator<CooBlock> from = blocks;
    return new Iterator<>() {
      private boolean open = true;

      @Override
      public boolean hasNext() {
        if (open && !from.hasNext()) {
          open = false;
          result.close();
        }
        return open;
      }

      @Override
      public Piece next() {
        CooBlock block = Columns.shifted(from.next(), starts, 1);
        return new Piece(part, 0, part, block);
      }
    };
  }

  private boolean isSorted(TensorStorage result) {
    return result.format().isOrdinary()
        && java.util.Arrays.equals(result.format().modeOrder(), order)
        && result.format().levels().stream().allMatch(level -> level.properties().ordered());
  }
}
