package org.weft.planner;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.weft.planner.kernel.Merge;
import org.weft.planner.kernel.Operand;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;
import org.weft.planner.partition.Grid;
import org.weft.planner.partition.PartitionCosts;
import org.weft.statistics.TensorStatistics;

/**
 * Predicts the steps around the kernels: read, shuffle, pack, compile, merge, write.
 *
 * @param reading of the input
 */
record StepModel(
    TensorStatistics statistics,
    Resources resources,
    MachineParameters machine,
    InputReading reading) {
  private static final int KERNEL = 4; // steps before it
  private static final double PACKING_COPIES = 3; // blocks, sort keys, storage

  /**
   * Cutting, writing and reading an entry in a shuffle, per packing it. On two executors of a core
   * each, 8.0 million entries of text took 1.6 s of processor time, and packing them 0.7 s.
   */
  private static final double SHUFFLE_PASSES = 2;

  /** Bytes of an entry in a COO block. */
  double blockBytesPerEntry() {
    double bytes = 8;
    for (int m = 0; m < statistics.shape().order(); m++) {
      bytes += statistics.shape().size(m) > Integer.MAX_VALUE ? 8 : 4;
    }
    return bytes;
  }

  PlanCosts costs(List<ModePlan> modes, int iterations) {
    return costs(modes, 0, iterations);
  }

  /**
   * Costs of passes.
   *
   * @param once so many of the last passes run once, before the iterations
   */
  PlanCosts costs(List<ModePlan> modes, int once, int iterations) {
    double slots = resources.slots();
    double entries = statistics.entries();
    double blocks = entries * blockBytesPerEntry();
    Map<PackedForm, Double> forms = new LinkedHashMap<>();
    modes.forEach(mode -> forms.put(mode.form(), mode.storageBytes()));
    double storage = forms.values().stream().mapToDouble(bytes -> bytes).sum();
    double text = reading.text() ? entries * textBytesPerEntry() : 0;
    double blocksHeld = blocks / resources.executors();
    double storageHeld = storage / resources.executors();
    double inWork =
        resources.tasksPerExecutor()
            * PACKING_COPIES
            * largestPartitionEntries(modes)
            * blockBytesPerEntry();
    double results = 0;
    double merged = 0;
    double mergeSeconds = 0;
    double flops = 0;
    double moved = 0;
    double kernelSeconds = 0;
    NeededRows needed = new NeededRows(modes, statistics, resources);
    boolean passed = !resources.inTurn() && needed.arePassed();
    for (ModePlan mode : modes.subList(0, modes.size() - once)) {
      double bytes = passed ? needed.bytes(mode) : mergedBytes(mode);
      results += resultBytes(mode);
      merged += bytes;
      mergeSeconds += bytes / mergedBytesPerSecond();
      flops += mode.total(PartitionCosts::flops);
      moved += mode.total(PartitionCosts::bytesMoved);
      kernelSeconds += makespan(mode) + stages(mode) * resources.stepSeconds(machine);
    }
    double passes = forms.size();
    long shuffles = forms.keySet().stream().filter(this::isShuffled).count();
    double shuffled = blocks * shuffles;
    double kernelHeld = storageHeld + operandBytes(modes) + resultsInWork(modes);
    List<StepCosts> steps =
        new ArrayList<>(
            List.of(
                new StepCosts(
                    "read",
                    text,
                    0,
                    text / machine.parsedBytesPerSecond() / Math.min(slots, reading.tasks()),
                    blocksHeld),
                new StepCosts(
                    "shuffle",
                    shuffled,
                    0,
                    (shuffled / machine.shuffledBytesPerSecond()
                            + SHUFFLE_PASSES
                                * shuffles
                                * entries
                                / machine.packedEntriesPerSecond())
                        / slots,
                    blocksHeld),
                new StepCosts(
                    "pack",
                    blocks * passes + storage,
                    0,
                    entries * passes / machine.packedEntriesPerSecond() / slots,
                    blocksHeld + storageHeld + inWork),
                new StepCosts("compile", 0, 0, machine.compileSeconds(), 0),
                new StepCosts("kernel", moved, flops, kernelSeconds, kernelHeld),
                new StepCosts("merge", merged, 0, mergeSeconds, kernelHeld),
                new StepCosts(
                    "write", results, 0, results / machine.writtenBytesPerSecond() / slots, 0)));
    if (once > 0) {
      steps.add(KERNEL, start(modes.subList(modes.size() - once, modes.size()), kernelHeld));
    }
    return new PlanCosts(steps, storage, iterations);
  }

  /** One process shares its entries, and partitions whose entries lie together are read as such. */
  private boolean isShuffled(PackedForm form) {
    return !resources.inTurn()
        && (reading.layout() == null || reading.layout().partsOf(form.partitioning()).isEmpty());
  }

  private StepCosts start(List<ModePlan> passes, double held) {
    return new StepCosts(
        "start",
        passes.stream().mapToDouble(pass -> pass.total(PartitionCosts::bytesMoved)).sum(),
        passes.stream().mapToDouble(pass -> pass.total(PartitionCosts::flops)).sum(),
        passes.stream()
            .mapToDouble(pass -> seconds(pass) + stages(pass) * resources.stepSeconds(machine))
            .sum(),
        held);
  }

  /** Characters of an entry in a text file. */
  private double textBytesPerEntry() {
    double bytes = 4;
    for (int m = 0; m < statistics.shape().order(); m++) {
      bytes += 1 + Math.max(1, Math.log10(Math.max(1, statistics.shape().size(m))));
    }
    return bytes;
  }

  /** Rows that partitions share are added up in a stage of their own. */
  private int stages(ModePlan mode) {
    boolean shared = mode.kernel().merge() == Merge.ROWS && mode.partitioning().anyOverlapping();
    return shared && !resources.inTurn() ? 2 : 1;
  }

  /** Wall-clock seconds of a pass and of what comes after it until its result is there. */
  double seconds(ModePlan mode) {
    return makespan(mode) + mergedBytes(mode) / mergedBytesPerSecond();
  }

  /** Wall-clock seconds of a pass: no less than its longest task, nor than its even share. */
  private double makespan(ModePlan mode) {
    double longest =
        mode.partitions().stream().mapToDouble(PartitionCosts::seconds).max().orElse(0);
    return Math.max(longest, mode.total(PartitionCosts::seconds) / mode.kernelsAtATime(resources));
  }

  /**
   * Bytes that merging the results of a pass takes: a shuffle of all of them, or in one process the
   * results of groups, which are cleared and added to the first. Rows are in their place there.
   */
  double mergedBytes(ModePlan mode) {
    if (!resources.inTurn()) {
      return mode.total(PartitionCosts::resultBytes);
    }
    return mode.isGrouped(resources)
        ? (4.0 * mode.groups() - 3) * mode.partitions().get(0).resultBytes()
        : 0;
  }

  private double mergedBytesPerSecond() {
    return resources.inTurn()
        ? machine.streamBytesPerSecond() * resources.coresPerExecutor()
        : machine.shuffledBytesPerSecond() * resources.slots();
  }

  /** Bytes of the merged result of a pass. */
  private static double resultBytes(ModePlan mode) {
    return switch (mode.kernel().merge()) {
      case SUM -> mode.partitions().get(0).resultBytes();
      case ENTRIES -> mode.total(PartitionCosts::resultBytes);
      case ROWS ->
          mode.partitions().stream()
              .filter(p -> p.range().piece() == 0)
              .mapToDouble(PartitionCosts::resultBytes)
              .sum();
    };
  }

  /**
   * The grid of {@code tiles} tiles that passes which are cut along one mode each take least time
   * on.
   *
   * @param mostSlices of a layer
   * @param byEntries whether rows that are exchanged count alone, on which no machine has a say
   */
  Optional<Grid> grid(List<ModePlan> passes, int tiles, long mostSlices, boolean byEntries) {
    double kernels = passes.stream().mapToDouble(pass -> pass.total(PartitionCosts::seconds)).sum();
    double row = NeededRows.rowBytes(passes.get(0)) / mergedBytesPerSecond();
    return new GridChoice(statistics)
        .cheapest(tiles, byEntries ? 0 : kernels, byEntries ? 1 : row, mostSlices);
  }

  /**
   * The number of groups, up to {@code most}, that takes least time; few where results are large.
   */
  ModePlan grouped(ModePlan mode, int most) {
    ModePlan best = mode.withGroups(1);
    double least = Double.POSITIVE_INFINITY;
    for (int groups = 1; groups <= Math.min(most, mode.partitions().size()); groups++) {
      ModePlan other = mode.withGroups(groups);
      double seconds = seconds(other);
      if (seconds < least) {
        best = other;
        least = seconds;
      }
    }
    return best;
  }

  private static double largestPartitionEntries(List<ModePlan> modes) {
    return modes.stream()
        .flatMap(m -> m.partitions().stream())
        .mapToDouble(PartitionCosts::entries)
        .max()
        .orElse(0);
  }

  /** Bytes of the operands of all passes, which every executor holds. */
  private double operandBytes(List<ModePlan> modes) {
    double bytes = 0;
    for (int m = 0; m < statistics.shape().order(); m++) {
      int mode = m;
      bytes +=
          modes.stream()
              .flatMap(p -> p.kernel().operands().stream())
              .filter(o -> o.mode() == mode)
              .mapToDouble(o -> (double) statistics.shape().size(mode) * o.rowBytes(8))
              .max()
              .orElse(0);
    }
    return bytes;
  }

  private double resultsInWork(List<ModePlan> modes) {
    return modes.stream().mapToDouble(this::resultsInWork).max().orElse(0)
        + (resources.inTurn() ? sharedCopies(modes) : 0);
  }

  /** Bytes of results at a time; where kernels run in turn, those of all partitions stay. */
  private double resultsInWork(ModePlan mode) {
    double largest =
        mode.partitions().stream().mapToDouble(PartitionCosts::resultBytes).max().orElse(0);
    int calls = mode.isGrouped(resources) ? mode.groups() : resources.tasksPerExecutor();
    double slices = mode.partitions().stream().mapToDouble(p -> p.range().slices()).max().orElse(0);
    double copies =
        mode.kernel().copiedBytes(statistics.shape(), resources.inTurn() ? 0 : 1, slices);
    return (largest * (1 + mode.kernel().privateResults()) + copies) * calls
        + others(mode, largest);
  }

  /** Bytes of results that stay after their calls: all where kernels run in turn, or parts. */
  private double others(ModePlan mode, double largest) {
    if (resources.inTurn()) {
      double all =
          mode.kernel().merge() == Merge.ROWS
              ? mode.total(PartitionCosts::resultBytes)
              : resultBytes(mode);
      return Math.max(0, all - largest);
    }
    return stages(mode) == 1
        ? 0
        : mode.partitions().stream()
                .filter(p -> p.range().pieces() > 1)
                .mapToDouble(PartitionCosts::resultBytes)
                .sum()
            / resources.executors();
  }

  /** Bytes of the copies of factors that kernels in turn keep: one for each format. */
  private double sharedCopies(List<ModePlan> modes) {
    Map<String, Double> copies = new LinkedHashMap<>();
    for (ModePlan pass : modes) {
      for (Operand operand : pass.kernel().operands()) {
        double rows = statistics.shape().size(operand.mode());
        copies.put(
            operand.mode() + " " + pass.kernel().resultFormat(),
            rows * pass.kernel().copiedRowBytes());
      }
    }
    return copies.values().stream().mapToDouble(bytes -> bytes).sum();
  }
}
