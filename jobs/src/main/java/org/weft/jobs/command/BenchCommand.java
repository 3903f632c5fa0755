package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.jobs.bench.BenchKernel;
import org.weft.jobs.bench.BenchPlot;
import org.weft.jobs.bench.BenchReport;
import org.weft.jobs.bench.BenchTensor;
import org.weft.jobs.bench.Benchmark;
import org.weft.jobs.bench.Calibration;
import org.weft.jobs.bench.OrderBench;
import org.weft.jobs.bench.OrderPlot;
import org.weft.jobs.bench.OrderReport;
import org.weft.jobs.bench.RandomStatement;
import org.weft.jobs.bench.TccgList;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.file.LoadedTensor;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.process.SoftwareVersions;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.reorder.Reorderers;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weft bench}. */
@Command(
    name = "bench",
    sortOptions = false,
    description = {
      "Time kernels on this machine beside the machine's bounds.",
      "The bounds are the memory bandwidth and the arithmetic of this machine. Kernels of"
          + " the same compiler measure them in the same run. 'bound' is the time of the bytes"
          + " and operations that no kernel can avoid, as a percentage of the median time.",
      "Kernels of matrices are spmv, spmm and sddmm with 32 columns, and spgemm and add in"
          + " CSR. Where it may pay, spmv also runs in full blocks and without empty rows, and"
          + " spmm in tiles. Kernels of tensors are ttv and ttm of the last mode, mttkrp of every"
          + " mode, and one iteration of cp-als. Workloads run in turns, and the medians count.",
      "The suite has the tensors nell-2, nell-1, vast, uber, lbnl and half-slice, and the"
          + " matrices banded, fem, power-law and uniform. Any other name is a file. With --scale"
          + " 1, each has 2 to 10 million entries.",
      "--expression times any statement on random operands, as 'weft eval' plans the"
          + " statement. Then 'bound' counts operands and result once, and the operations of the"
          + " plan. --expressions tccg times the 48 contractions of the TCCG benchmark, with"
          + " smaller sizes for the largest contractions.",
      "--orders shows what the orders of 'weft reorder' cost, and their metrics. It times"
          + " SpMV and SpMM, or TTV, TTM and MTTKRP of the first rank, with and without each"
          + " order. Rows and columns of the suite's matrices are shuffled independently first."
          + " The suite's tensors stay as they are generated.",
      "--calibrate fits the constants of the cost model on this machine and writes them to"
          + " a file. The option --machine of other commands reads the file. For a cluster,"
          + " calibrate on the machine of an executor."
    },
    footer = {
      "",
      "Example: weft bench --scale 0.1",
      "Example: weft bench --kernels mttkrp --tensors nell-2,x.tns.gz --ranks 8,16,32"
          + " --report bench.tsv --plot bench.svg",
      "Example: weft bench --scale 0.1 --orders lexi,band,partition --report orders.tsv",
      "Example: weft bench --calibrate machine.tsv"
    })
public final class BenchCommand extends WeftCommand {
  private static final int DEFAULT_PARTITIONS = 8;

  @Option(
      order = 1,
      names = "--kernels",
      split = ",",
      paramLabel = "NAME",
      description = "The kernels to time (default: all).")
  List<String> kernels = BenchKernel.labels();

  @Option(
      order = 2,
      names = "--tensors",
      split = ",",
      paramLabel = "NAME",
      description =
          "Tensors and matrices of the suite, or files (default: everything in the suite that"
              + " --kernels can use).")
  List<String> tensors = BenchTensor.names();

  @Option(
      order = 3,
      names = "--ranks",
      split = ",",
      paramLabel = "R",
      description = "The columns of the factors of ttm, mttkrp and cp-als (default: 16).")
  List<Integer> ranks = List.of(16);

  @Option(
      order = 4,
      names = "--rounds",
      paramLabel = "N",
      description = "The number of samples of each workload (default: 5).")
  int rounds = 5;

  @Option(
      order = 5,
      names = "--scale",
      paramLabel = "F",
      description = "Generate this fraction of the entries (default: ${DEFAULT-VALUE}).")
  double scale;

  @Option(
      order = 6,
      names = "--seed",
      paramLabel = "S",
      description = "The seed of generated tensors (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(
      order = 7,
      names = "--report",
      paramLabel = "FILE",
      description = "Also write the figures to this .tsv or .json file.")
  @Nullable String report;

  @Option(
      order = 8,
      names = "--plot",
      paramLabel = "FILE",
      description = "Also draw the 'bound' figures in this .png or .svg file.")
  @Nullable String plot;

  @Option(
      order = 9,
      names = "--orders",
      split = ",",
      paramLabel = "METHOD",
      description = "Time kernels under these orders of 'weft reorder'.")
  List<String> orders = List.of();

  @Option(
      order = 10,
      names = "--shuffle",
      description = "With --orders: also shuffle files, and tensors of the suite.")
  boolean shuffle;

  @Option(
      order = 11,
      names = "--second",
      paramLabel = "FILE",
      description =
          "With one matrix from a file: the file of B in spgemm and add (default: the matrix"
              + " transposed).")
  @Nullable String second;

  @Option(
      order = 12,
      names = "--beside",
      paramLabel = "COMMAND",
      description = {
        "Also time another program, which takes turns with Weft. 'other x' is the median over"
            + " the rounds of its time divided by Weft's. Threads of the program should not spin"
            + " between calls.",
        "Weft starts the program as COMMAND KERNEL TENSOR THREADS RANK. RANK is 0 for kernels"
            + " without a rank. The program loads the tensor and prints 'ready', or 'none' if it"
            + " lacks the kernel. For each line of its input, which has a mode from 0, the program"
            + " runs once and prints the seconds. It flushes each line. Weft does not pass --second"
            + " and --type to the program.",
        "With --expression, KERNEL is the statement without blanks, and TENSOR has the sizes"
            + " and formats."
      })
  @Nullable String beside;

  @Option(
      order = 13,
      names = "--expression",
      paramLabel = "EXPR",
      description = "Time this statement on random operands. Repeatable.")
  List<String> expressions = List.of();

  @Option(
      order = 14,
      names = "--expressions",
      paramLabel = "LIST",
      description = "Time the statements of a list: tccg.")
  @Nullable String list;

  @Option(
      order = 15,
      names = "--sizes",
      split = ",",
      paramLabel = "LABEL=N",
      description = "With --expression: the size of each label.")
  Map<String, Long> sizes = new LinkedHashMap<>();

  @Option(
      order = 16,
      names = "--format",
      paramLabel = "NAME=FORMAT[:DENSITY]",
      description =
          "With --expression: the format of NAME, and the share of its cells that have entries"
              + " (default: Dense with density 1). Repeatable.")
  Map<String, String> formats = new LinkedHashMap<>();

  @Option(
      order = 17,
      names = "--schedule",
      paramLabel = "TEXT",
      description =
          "With --expression: time the statement under this schedule. Repeatable: the schedules"
              + " take turns.")
  List<String> schedules = List.of();

  @Option(
      order = 18,
      names = "--calibrate",
      paramLabel = "FILE",
      description = "Fit the cost model on this machine, and write it to this .tsv file.")
  @Nullable String calibrate;

  @Option(
      order = 19,
      names = "--json",
      description =
          "Print the figures as JSON, as --report FILE.json writes them, and print no tables.")
  boolean json;

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    checkOptions(files);
    if (calibrate != null) {
      calibrate(console, files, calibrate);
      return;
    }
    int all = common.threads == 0 ? Runtime.getRuntime().availableProcessors() : common.threads;
    List<Integer> threads = all == 1 ? List.of(1) : List.of(1, all);
    List<BenchKernel> chosen = kernels.stream().map(BenchKernel::of).toList();
    if (orders.isEmpty() && tensors.equals(BenchTensor.names())) {
      tensors = BenchTensor.names(chosen);
    }
    List<RandomStatement> statements = statements();
    List<Schedule> stated = schedules.stream().map(Schedule::parse).toList();
    if (planOnly()) {
      console.result(
          "would time %s of %s with %s",
          !orders.isEmpty()
              ? "kernels under the orders " + String.join(", ", orders)
              : statements.isEmpty()
                  ? String.join(", ", kernels)
                  : Counts.plain(statements.size(), "statement"),
          statements.isEmpty() ? String.join(", ", tensors) : "random operands",
          (all == 1 ? "" : "1 and ") + Counts.plain(all, "thread"));
      return;
    }
    if (!orders.isEmpty()) {
      benchOrders(console, files, threads);
      return;
    }
    Benchmark.Options options =
        new Benchmark.Options(
            chosen, ranks, threads, rounds, common.type, Optional.ofNullable(beside));
    try (TensorCompiler compiler = TensorCompiler.create(common.compilerOptions());
        MemoryScope scope = MemoryScope.root("weft bench", MemorySource.system())) {
      Benchmark benchmark = new Benchmark(compiler, scope, options);
      for (int s = 0; s < statements.size(); s++) {
        console.step("time " + statements.get(s).text(), s, statements.size());
        benchmark.run(statements.get(s), stated, seed);
      }
      for (int t = 0; t < (statements.isEmpty() ? tensors.size() : 0); t++) {
        int done = t;
        console.step(
            (isOfSuite(tensors.get(t)) ? "generate " : "read ") + tensors.get(t),
            t,
            tensors.size());
        benchmark.run(
            source(files, tensors.get(t)), text -> console.step(text, done, tensors.size()));
      }
      BenchReport found = benchmark.report(machine(statements.isEmpty() ? tensors : List.of()));
      print(console, found.table());
      write(console, files, found.tabSeparated(), found.content(), BenchPlot.of(found));
    }
  }

  private void calibrate(Console console, FileAccess files, String file) throws IOException {
    if (planOnly()) {
      console.result("would fit the cost model on this machine and write %s", file);
      return;
    }
    String text = new Calibration(scale).run(step -> console.step(step, 0, 1));
    write(console, files, file, text);
  }

  private void benchOrders(Console console, FileAccess files, List<Integer> threads)
      throws IOException {
    int partitions = common.partitions > 0 ? common.partitions : DEFAULT_PARTITIONS;
    OrderBench.Options options =
        new OrderBench.Options(orders, ranks.get(0), threads, rounds, partitions, seed);
    try (TensorCompiler compiler = TensorCompiler.create(common.compilerOptions())) {
      OrderBench bench = new OrderBench(compiler, options);
      for (int t = 0; t < tensors.size(); t++) {
        console.step("order " + tensors.get(t), t, tensors.size());
        BenchTensor tensor = source(files, tensors.get(t)).get();
        boolean ordered = isOfSuite(tensors.get(t)) && tensor.shape().order() == 2;
        print(
            console,
            OrderReport.table(
                bench.run(tensor.name(), tensor.shape(), tensor.blocks(), shuffle || ordered),
                partitions));
      }
      OrderReport found = bench.report(machine(tensors));
      write(console, files, found.tabSeparated(), found.content(), OrderPlot.of(found));
    }
  }

  /** The statements to time; none if kernels of the suite are wanted. */
  private List<RandomStatement> statements() {
    boolean named = !expressions.isEmpty();
    if (named == (list != null) && named) {
      throw usage("expected --expression or --expressions, found both");
    }
    if (!named && !(sizes.isEmpty() && formats.isEmpty())) {
      throw usage("expected --expression EXPR with --sizes and --format, found none");
    }
    if (!named && list == null) {
      if (!schedules.isEmpty()) {
        throw usage("expected --expression EXPR with --schedule, found none");
      }
      return List.of();
    }
    for (String option : List.of("--kernels", "--tensors", "--ranks", "--orders", "--second")) {
      if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw usage("expected --expression, or %s, found both", option);
      }
    }
    if (list == null) {
      return expressions.stream()
          .map(text -> RandomStatement.of("", text, sizes, formats))
          .toList();
    }
    if (!list.equals("tccg")) {
      throw usage("expected --expressions tccg, found %s", list);
    }
    return TccgList.statements(true);
  }

  private void checkOptions(FileAccess files) {
    if (rounds < 1) {
      throw usage("expected --rounds of at least 1, found %d", rounds);
    }
    if (ranks.stream().anyMatch(rank -> rank < 1)) {
      throw usage("expected --ranks of at least 1, found %s", ranks);
    }
    if (report != null && !report.endsWith(".tsv") && !report.endsWith(".json")) {
      throw usage("expected --report to name a .tsv or .json file, found %s", report);
    }
    if (plot != null) {
      Picture.checkName("--plot", plot);
    }
    if (calibrate != null
        && (!calibrate.endsWith(".tsv")
            || report != null
            || plot != null
            || json
            || !orders.isEmpty())) {
      throw usage(
          "expected --calibrate to name a .tsv file, without --report, --plot, --json and --orders,"
              + " found %s",
          calibrate);
    }
    checkOutput(files, report, plot, calibrate);
    if (beside != null && beside.isBlank()) {
      throw usage("expected a command after --beside, found '%s'", beside);
    }
    if (!orders.isEmpty() && (beside != null || second != null)) {
      throw usage("expected --orders, or --beside and --second, found both");
    }
    if (second != null && (tensors.size() != 1 || isOfSuite(tensors.get(0)))) {
      throw usage("expected one --tensors FILE with --second, found %s", String.join(",", tensors));
    }
    if (shuffle && orders.isEmpty()) {
      throw usage("expected --orders METHOD with --shuffle, found none");
    }
    orders.forEach(Reorderers::named);
    for (String name : tensors) {
      if (!isOfSuite(name) && !name.contains(".")) {
        BenchTensor.named(name, scale, seed);
      }
    }
  }

  private static boolean isOfSuite(String name) {
    return BenchTensor.names().contains(name.toLowerCase(Locale.ROOT));
  }

  private Supplier<BenchTensor> source(FileAccess files, String name) {
    if (isOfSuite(name)) {
      return () -> BenchTensor.named(name, scale, seed);
    }
    return () -> {
      try {
        LoadedTensor read = LoadedTensor.read(files, name, common.readOptions());
        BenchTensor made = BenchTensor.of(name, read.shape(), read.blocks());
        return second == null ? made : made.withPartner(matrix(files, second, read.shape()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  private List<CooBlock> matrix(FileAccess files, String path, TensorShape shape)
      throws IOException {
    LoadedTensor read = LoadedTensor.read(files, path, common.readOptions());
    if (shape.order() != 2 || !read.shape().equals(shape)) {
      throw usage(
          "expected a matrix, and --second of shape %s, found %s of %s", shape, path, read.shape());
    }
    return read.blocks();
  }

  /** Facts for the report about a run over the tensors {@code timed}. */
  private Map<String, String> machine(List<String> timed) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        "machine",
        processor() + ", " + Counts.plain(Runtime.getRuntime().availableProcessors(), "processor"));
    Map<String, String> versions = SoftwareVersions.all();
    facts.put(
        "software",
        "weft "
            + versions.get("weft")
            + ", JDK "
            + versions.get("jdk")
            + ", LLVM "
            + versions.get("llvm"));
    facts.put(
        "run",
        String.format(
            Locale.ROOT,
            "%s, medians of %s%s, seed %d",
            common.type.keyword(),
            Counts.plain(rounds, "round"),
            timed.stream().anyMatch(BenchCommand::isOfSuite)
                ? ", generated tensors at " + scale + " of full size"
                : "",
            seed));
    return facts;
  }

  private static String processor() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .findFirst()
          .map(line -> line.substring(line.indexOf(':') + 2))
          .orElse("unknown processor");
    } catch (IOException e) {
      return "unknown processor";
    }
  }

  private void print(Console console, String table) {
    if (!json) {
      console.text(table);
    }
  }

  private void write(
      Console console,
      FileAccess files,
      String tabSeparated,
      Map<String, Object> content,
      Picture picture)
      throws IOException {
    if (json) {
      console.text(JsonText.of(content));
    }
    boolean isTable = report != null && report.endsWith(".tsv");
    String text = isTable ? tabSeparated : JsonText.of(content);
    write(console, files, report, text, plot, picture);
  }
}
