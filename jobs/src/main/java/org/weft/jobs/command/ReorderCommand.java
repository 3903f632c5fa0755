package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.TensorCompiler;
import org.weft.jobs.bench.OrderBench;
import org.weft.jobs.bench.OrderReport;
import org.weft.jobs.bench.OrderedTensor;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.file.LoadedTensor;
import org.weft.jobs.file.PermutationFolder;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.ReorderOptions;
import org.weft.jobs.output.Console;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.reorder.LocalityMetrics;
import org.weft.reorder.PartitionMetrics;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderer;
import org.weft.reorder.Reorderers;
import org.weft.reorder.RowReads;
import org.weft.storage.ContainerOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;
import org.weft.text.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft reorder}. */
@Command(
    name = "reorder",
    sortOptions = false,
    description = {
      "Relabel the coordinates of a tensor so that entries which are used together lie"
          + " together.",
      "The command prints what the new order changes. It runs in this process, without"
          + " Spark, and needs about 40 bytes of memory per entry and mode.",
      "The methods are identity, random:SEED, degree, degree:ascending, degree:hubs,"
          + " lexi:SWEEPS, bfs-mcs, rcm, band and partition:PARTS.",
      "OUT is the tensor with new coordinates. --permutations writes mode0.perm,"
          + " mode1.perm, ... If lines are counted from 0, line n has the new coordinate of"
          + " coordinate n. --apply reads such a folder instead of computing an order. With"
          + " --inverse, it restores the old coordinates."
    },
    footer = {"", "Example: weft reorder x.tns.gz y.tns.gz --method lexi --permutations perms"})
public final class ReorderCommand extends WeftCommand {
  private static final long CACHE_BYTES = 2L << 20;
  private static final int ROUNDS = 7;
  private static final int WINDOW = 4096;

  @Parameters(index = "0", paramLabel = "IN", description = InputNames.INPUT)
  String input = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "OUT",
      description =
          "The relabelled tensor to write. Without OUT, the command prints the table only.")
  @Nullable String output;

  @Option(
      order = 1,
      names = "--method",
      paramLabel = "NAME",
      description = "The method that makes the order (default: lexi).")
  @Nullable String method;

  @Option(
      order = 2,
      names = "--apply",
      paramLabel = "DIR",
      description = "Use the permutations of this folder.")
  @Nullable String apply;

  @Option(
      order = 3,
      names = "--inverse",
      description = "With --apply: turn new coordinates into old ones.")
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
      description = "Count cache lines of operands with R columns (default: 16).")
  int rank = 16;

  @Option(
      order = 6,
      names = "--bench",
      description = {
        "Also time SpMV and SpMM, or TTV, TTM and MTTKRP, with and without the order. The"
            + " kernels run in this process with 1 thread and more, up to --threads."
      })
  boolean bench;

  @Option(
      order = 7,
      names = "--shuffle",
      paramLabel = "SEED",
      description =
          "With --bench: shuffle the coordinates of every mode first, and also time the"
              + " shuffled tensor.")
  @Nullable Long shuffle;

  @Mixin InputNames names = new InputNames();

  @Override
  protected void run(Console console) throws IOException {
    if (method != null && apply != null) {
      throw usage("expected --method NAME or --apply DIR, found both");
    }
    if (inverse && apply == null) {
      throw usage("expected --apply DIR with --inverse, found none");
    }
    if (bench && apply != null) {
      throw usage("expected --method NAME with --bench, found --apply");
    }
    if (shuffle != null && !bench) {
      throw usage("expected --bench with --shuffle, found none");
    }
    if (shuffle != null && (output != null || permutations != null)) {
      throw usage(
          "expected --shuffle without %s, found both", output != null ? "OUT" : "--permutations");
    }
    if (rank < 1) {
      throw usage("expected --rank of at least 1, found %d", rank);
    }
    Reorderer reorderer = Reorderers.named(method());
    FileAccess files = CommonOptions.files();
    if (output != null) {
      checkTensorOutput(files, output);
    }
    if (permutations != null) {
      checkFolder(files, permutations);
    }
    console.step("read " + input, 0, 3);
    LoadedTensor tensor = LoadedTensor.read(files, input, common.readOptions());
    names.of(files, input, tensor.shape().order());
    console.note("%s: %s, %s", input, tensor.shape(), Counts.of(tensor.entries(), "entry"));
    if (planOnly()) {
      console.result(
          "would order %s by %s%s",
          input, apply == null ? reorderer.name() : apply, output == null ? "" : " into " + output);
      return;
    }
    if (bench) {
      bench(console, tensor);
      if (output == null && permutations == null) {
        return;
      }
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

  /** Times kernels: as given, shuffled if asked for, and under the order that was found. */
  private void bench(Console console, LoadedTensor tensor) {
    int all = common.threads == 0 ? Runtime.getRuntime().availableProcessors() : common.threads;
    int parts = partitions();
    OrderBench.Options options =
        new OrderBench.Options(
            List.of(method()),
            rank,
            all == 1 ? List.of(1) : List.of(1, all),
            ROUNDS,
            parts,
            shuffle == null ? 0 : shuffle);
    try (TensorCompiler compiler = TensorCompiler.create(common.compilerOptions())) {
      OrderedTensor found =
          new OrderBench(compiler, options)
              .run(input, tensor.shape(), tensor.blocks(), shuffle != null);
      console.text(OrderReport.table(found, parts));
    }
  }

  private int partitions() {
    return common.partitions > 0 ? common.partitions : 8;
  }

  private String method() {
    return method == null ? "lexi" : method;
  }

  private List<Permutation> permutations(FileAccess files, LoadedTensor tensor, Reorderer reorderer)
      throws IOException {
    if (apply == null) {
      return reorderer.reorder(tensor.shape(), tensor.blocks());
    }
    List<Permutation> read = PermutationFolder.read(files, apply, tensor.shape());
    return inverse ? read.stream().map(Permutation::inverse).toList() : read;
  }

  /**
   * What an order is worth.
   *
   * @param partitions of mode 0; null for a tensor without modes
   * @param missedMegabytes of rows that MTTKRP reads from beyond the cache, by mode
   */
  private record Figures(
      LocalityMetrics locality,
      @Nullable PartitionMetrics partitions,
      List<Double> missedMegabytes) {
    static Figures of(TensorShape shape, List<CooBlock> blocks, int rowBytes, int parts) {
      return new Figures(
          LocalityMetrics.of(shape, blocks, rowBytes, WINDOW),
          shape.order() == 0 ? null : PartitionMetrics.of(shape, blocks, parts),
          IntStream.range(0, shape.order() > 1 ? shape.order() : 0)
              .mapToObj(m -> missed(shape, blocks, m, rowBytes))
              .toList());
    }
  }

  private void table(Console console, LoadedTensor tensor, List<CooBlock> relabelled) {
    int rowBytes = Math.multiplyExact(8, rank);
    int parts = partitions();
    TensorShape shape = tensor.shape();
    ForkJoinTask<Figures> given =
        ForkJoinPool.commonPool().submit(() -> Figures.of(shape, tensor.blocks(), rowBytes, parts));
    Figures now = Figures.of(shape, relabelled, rowBytes, parts);
    Figures old = given.join();
    TextTable table = new TextTable("<>").row("", "before", "after");
    for (int b = 0; b < old.locality().bandwidths().size(); b++) {
      LocalityMetrics.Bandwidth before = old.locality().bandwidths().get(b);
      LocalityMetrics.Bandwidth after = now.locality().bandwidths().get(b);
      String modes = "bandwidth of modes " + before.row() + " and " + before.column();
      line(table, modes + ", average", before.average(), after.average());
      line(table, modes + ", maximum", before.maximum(), after.maximum());
    }
    for (int m = 0; m < shape.order(); m++) {
      line(
          table,
          "cache lines of mode " + m + " per " + Counts.plain(WINDOW, "entry"),
          old.locality().modes().get(m).cacheLinesPerWindow(),
          now.locality().modes().get(m).cacheLinesPerWindow());
    }
    line(
        table,
        "entries per block of side " + LocalityMetrics.BLOCK_SIDE,
        old.locality().entriesPerBlock(),
        now.locality().entriesPerBlock());
    if (old.partitions() != null && now.partitions() != null) {
      partitionLines(table, old.partitions(), now.partitions());
    }
    for (int m = 0; m < old.missedMegabytes().size(); m++) {
      line(
          table,
          "MTTKRP of mode " + m + ": MB of rows not in 2 MiB of cache",
          old.missedMegabytes().get(m),
          now.missedMegabytes().get(m));
    }
    table.lines().forEach(line -> console.report("%s", line));
  }

  private static void partitionLines(TextTable table, PartitionMetrics old, PartitionMetrics now) {
    String of = Counts.plain(old.partitions(), "partition") + " of mode 0: ";
    line(table, of + "heaviest over mean", old.imbalance(), now.imbalance());
    for (int m = 0; m < old.rowsFetched().size(); m++) {
      line(
          table,
          of + "rows of mode " + (m + 1),
          old.rowsFetched().get(m),
          now.rowsFetched().get(m));
    }
    line(table, of + "rows fetched", old.totalRowsFetched(), now.totalRowsFetched());
  }

  private static double missed(TensorShape shape, List<CooBlock> blocks, int mode, int rowBytes) {
    int[] levels =
        IntStream.range(0, shape.order())
            .boxed()
            .sorted(Comparator.comparing((Integer m) -> m != mode).thenComparingLong(shape::size))
            .mapToInt(Integer::intValue)
            .toArray();
    long[] bytes = new long[shape.order()];
    Arrays.fill(bytes, rowBytes);
    bytes[mode] = 0;
    CooBlock sorted = Packing.sorted(shape, levels, blocks);
    return RowReads.of(sorted, levels, bytes, shape.toArray(), CACHE_BYTES).missedBytes() * 1e-6;
  }

  private static void line(TextTable table, String what, double before, double after) {
    table.row(
        what,
        String.format(Locale.ROOT, "%,.2f", before),
        String.format(Locale.ROOT, "%,.2f", after));
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
      console.result("wrote %s: %s", permutations, Counts.plain(found.size(), "permutation"));
    }
    if (output != null) {
      writeTensor(console, files, output, tensor, relabelled, found);
      console.result(
          "wrote %s: %s, %s", output, tensor.shape(), Counts.of(tensor.entries(), "entry"));
    }
  }

  private void writeTensor(
      Console console,
      FileAccess files,
      String uri,
      LoadedTensor tensor,
      List<CooBlock> relabelled,
      List<Permutation> found)
      throws IOException {
    int order = tensor.shape().order();
    List<String> modeNames = names.given.isEmpty() ? tensor.names() : names.given;
    InputNames.noteDropped(console, uri, modeNames, tensor.labels());
    TensorFormat format =
        TensorFormat.csf(order, ValueType.DOUBLE).narrowedFor(tensor.shape(), tensor.entries());
    try (MemoryScope scope = MemoryScope.root("reorder " + input, MemorySource.system());
        TensorStorage packed = Packing.pack(scope, tensor.shape(), format, relabelled)) {
      WriteOptions options =
          WriteOptions.defaults()
              .withShape(tensor.shape())
              .withEntries(packed.storedEntries())
              .withZeroBased(common.zeroBased)
              .forFile(uri)
              .withLabels(ReorderOptions.moved(tensor.labels(), new Relabelling(found)))
              .withContainer(
                  ContainerOptions.defaults()
                      .withModeNames(modeNames)
                      .withPermutations(new Relabelling(found).labels()));
      try (TensorOutput made = TensorFiles.create(files, uri, common.overwrite, order, options)) {
        var blocks = Packing.unpackBlocks(packed, 1 << 16);
        while (blocks.hasNext()) {
          made.write(blocks.next());
        }
        made.commit();
      }
    }
  }
}
