package org.weft.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.reorder.LocalityMetrics;
import org.weft.reorder.PartitionMetrics;
import org.weft.reorder.Permutation;
import org.weft.reorder.Reorderer;
import org.weft.reorder.Reorderers;
import org.weft.storage.FileAccess;
import org.weft.storage.Labels;
import org.weft.storage.OutputCommit;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft reorder}. */
@Command(
    name = "reorder",
    sortOptions = false,
    description = {
      "Relabel the coordinates of a tensor so that entries which are used together lie together,"
          + " and print what that changes. Runs in this process, without Spark; needs about 40 bytes"
          + " of memory per entry and mode.",
      "Methods: identity, random:SEED, degree, degree:ascending, degree:hubs, lexi:SWEEPS, bfs-mcs,"
          + " rcm, partition:PARTS.",
      "OUT is the tensor with new coordinates; --permutations writes mode0.perm, mode1.perm, ...:"
          + " line n, from 0, is the new coordinate of n. --apply reads such a folder instead of"
          + " computing an order, and with --inverse takes coordinates back."
    },
    footer = {"", "Example: weft reorder x.tns.gz y.tns.gz --method lexi --permutations perms"})
final class ReorderCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "IN", description = "Tensor to read.")
  String input = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "OUT",
      description = "Relabelled tensor to write; without it only the table is printed.")
  @Nullable String output;

  @Option(
      order = 1,
      names = "--method",
      paramLabel = "NAME",
      description = "How to order (default: lexi).")
  @Nullable String method;

  @Option(
      order = 2,
      names = "--apply",
      paramLabel = "DIR",
      description = "Use the permutations of this folder.")
  @Nullable String apply;

  @Option(order = 3, names = "--inverse", description = "With --apply: relabel backwards.")
  boolean inverse;

  @Option(
      order = 4,
      names = "--permutations",
      paramLabel = "DIR",
      description = "Write the permutations to this folder.")
  @Nullable String permutations;

  @Option(
      order = 5,
      names = "--rank",
      paramLabel = "R",
      description = "Columns of the operands whose cache lines are counted (default: 16).")
  int rank = 16;

  @Override
  void run(Console console) throws IOException {
    if (method != null && apply != null || inverse && apply == null) {
      throw usage("expected --method NAME, or --apply DIR with or without --inverse");
    }
    if (rank < 1) {
      throw usage("expected --rank of at least 1, found %d", rank);
    }
    Reorderer reorderer = Reorderers.named(method == null ? "lexi" : method);
    FileAccess files = CommonOptions.files();
    if (output != null) {
      checkTensorOutput(files, output);
    }
    if (permutations != null) {
      checkOutput(files, permutations);
    }
    console.step("read " + input, 0, 3);
    LoadedTensor tensor = LoadedTensor.read(files, input, common.readOptions());
    console.note("%s: %s, %,d entries", input, tensor.shape(), tensor.entries());
    if (planOnly()) {
      console.result(
          "would order %s by %s%s",
          input, apply == null ? reorderer.name() : apply, output == null ? "" : " into " + output);
      return;
    }
    console.step("order by " + (apply == null ? reorderer.name() : apply), 1, 3);
    long start = System.nanoTime();
    List<Permutation> found = permutations(files, tensor, reorderer);
    double seconds = (System.nanoTime() - start) * 1e-9;
    tensor =
        tensor.withShape(TensorShape.of(found.stream().mapToLong(Permutation::size).toArray()));
    List<CooBlock> relabelled = new ArrayList<>();
    for (CooBlock block : tensor.blocks()) {
      relabelled.add(Permutation.relabel(block, found));
    }
    console.report(
        "%s: %.3f s, %,.0f entries/s",
        apply == null ? reorderer.name() : apply,
        seconds,
        tensor.entries() / Math.max(seconds, 1e-9));
    table(console, tensor, relabelled);
    console.step("write", 2, 3);
    write(console, files, tensor, relabelled, found);
  }

  private List<Permutation> permutations(FileAccess files, LoadedTensor tensor, Reorderer reorderer)
      throws IOException {
    if (apply == null) {
      return reorderer.reorder(tensor.shape(), tensor.blocks());
    }
    List<Permutation> read = PermutationFolder.read(files, apply, tensor.shape());
    return inverse ? read.stream().map(Permutation::inverse).toList() : read;
  }

  private void table(Console console, LoadedTensor tensor, List<CooBlock> relabelled) {
    int rowBytes = Math.multiplyExact(8, rank);
    int window = 4096;
    int parts = common.partitions > 0 ? common.partitions : 8;
    TensorShape shape = tensor.shape();
    LocalityMetrics before = LocalityMetrics.of(shape, tensor.blocks(), rowBytes, window);
    LocalityMetrics after = LocalityMetrics.of(shape, relabelled, rowBytes, window);
    console.report("%-54s %14s %14s", "", "before", "after");
    for (int b = 0; b < before.bandwidths().size(); b++) {
      LocalityMetrics.Bandwidth old = before.bandwidths().get(b);
      LocalityMetrics.Bandwidth now = after.bandwidths().get(b);
      String modes = "bandwidth of modes " + old.row() + " and " + old.column();
      line(console, modes + ", average", old.average(), now.average());
      line(console, modes + ", maximum", old.maximum(), now.maximum());
    }
    for (int m = 0; m < shape.order(); m++) {
      line(
          console,
          "cache lines of mode " + m + " per " + window + " entries",
          before.modes().get(m).cacheLinesPerWindow(),
          after.modes().get(m).cacheLinesPerWindow());
    }
    line(
        console,
        "entries per block of side " + LocalityMetrics.BLOCK_SIDE,
        before.entriesPerBlock(),
        after.entriesPerBlock());
    if (shape.order() > 0) {
      PartitionMetrics old = PartitionMetrics.of(shape, tensor.blocks(), parts);
      PartitionMetrics now = PartitionMetrics.of(shape, relabelled, parts);
      String of = parts + " partitions of mode 0: ";
      line(console, of + "heaviest over mean", old.imbalance(), now.imbalance());
      line(console, of + "rows fetched", old.totalRowsFetched(), now.totalRowsFetched());
    }
  }

  private static void line(Console console, String what, double before, double after) {
    console.report("%-54s %,14.2f %,14.2f", what, before, after);
  }

  private void write(
      Console console,
      FileAccess files,
      LoadedTensor tensor,
      List<CooBlock> relabelled,
      List<Permutation> found)
      throws IOException {
    if (permutations != null) {
      try (OutputCommit commit = OutputCommit.begin(files, permutations, common.overwrite)) {
        PermutationFolder.write(commit, found);
        commit.commit();
      }
      console.result("wrote %s: %d permutations", permutations, found.size());
    }
    if (output != null) {
      writeTensor(files, output, tensor, relabelled, found);
      console.result("wrote %s: %s, %,d entries", output, tensor.shape(), tensor.entries());
    }
  }

  private void writeTensor(
      FileAccess files,
      String uri,
      LoadedTensor tensor,
      List<CooBlock> relabelled,
      List<Permutation> found)
      throws IOException {
    int order = tensor.shape().order();
    TensorFormat format =
        TensorFormat.csf(order, ValueType.DOUBLE).narrowedFor(tensor.shape(), tensor.entries());
    try (MemoryScope scope = MemoryScope.root("reorder " + input, MemorySource.system());
        TensorStorage packed = Packing.pack(scope, tensor.shape(), format, relabelled);
        OutputCommit commit = OutputCommit.begin(files, uri, common.overwrite)) {
      WriteOptions options =
          WriteOptions.defaults()
              .withShape(tensor.shape())
              .withEntries(packed.storedEntries())
              .withZeroBased(common.zeroBased)
              .withLabels(relabelled(tensor.labels(), found));
      try (TensorWriter writer = TensorFiles.write(commit, order, options)) {
        var blocks = Packing.unpackBlocks(packed, 1 << 16);
        while (blocks.hasNext()) {
          writer.write(blocks.next());
        }
      }
      commit.commit();
    }
  }

  /** Labels follow their coordinates. */
  private static Map<Integer, Labels> relabelled(
      Map<Integer, Labels> labels, List<Permutation> found) {
    Map<Integer, Labels> moved = new HashMap<>();
    labels.forEach(
        (mode, old) -> {
          Permutation inverse = found.get(mode).inverse();
          List<String> names = new ArrayList<>();
          for (long c = 0; c < inverse.size(); c++) {
            names.add(old.label(inverse.apply(c)));
          }
          moved.put(mode, Labels.of(names));
        });
    return moved;
  }
}
