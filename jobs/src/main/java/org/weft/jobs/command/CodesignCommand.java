package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.program.ProgramRunner;
import org.weft.jobs.bench.RandomStatement;
import org.weft.jobs.bench.TccgList;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.codesign.CodesignReport;
import org.weft.jobs.codesign.Designs;
import org.weft.jobs.codesign.Emulation;
import org.weft.jobs.codesign.EmulationPlot;
import org.weft.jobs.codesign.FrontPlot;
import org.weft.jobs.codesign.MatrixProduct;
import org.weft.jobs.codesign.Prediction;
import org.weft.jobs.codesign.ProgramContractions;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.run.StorageProgramFiles;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.file.FileAccess;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft codesign}. */
@Command(
    name = "codesign",
    sortOptions = false,
    description = {
      "Predict how accelerators for small matrix products would run dense contractions.",
      "The command shows time, GFLOP/s, GFLOP/s per watt and GFLOP/s per area. It also"
          + " shows the designs that no other design beats.",
      "A file of designs is HOCON or JSON. A design has a tile of m x n x k, cycles, and a"
          + " clock. If known, it also has bandwidth, scratchpad, power and area. Cycles are a"
          + " number, \"dot(u,c)\" or \"systolic\".",
      "Without other options, the contractions are the 30 of COMET's paper. With --program,"
          + " they are the contractions of a .ta program, as 'weft run' plans its statements. The"
          + " command lists the other statements of the program. The assumptions of the model"
          + " stand below the figures.",
      "With --emulate, every contraction also runs on one thread of this machine, as in the"
          + " paper. A wait stands in the place of the micro-kernel. The time of packing, loops"
          + " and writing is measured. No result is computed."
    },
    footer = {
      "",
      "Example: weft codesign conf/accelerators.conf",
      "Example: weft codesign my.conf --expression 'C(i,j) = A(i,k) * B(k,j)'"
          + " --sizes i=512,j=512,k=64 --report c.tsv --plot c.svg",
      "Example: weft codesign conf/accelerators.conf --program ccsd.ta --emulate --rounds 5"
    })
public final class CodesignCommand extends WeftCommand {
  private static final int OF_PAPER = 30;

  @Parameters(index = "0", paramLabel = "DESIGNS", description = "The file of designs.")
  String designs = "";

  @Option(
      order = 1,
      names = "--expression",
      paramLabel = "EXPR",
      description = "A product of two tensors to predict. Repeatable.")
  List<String> expressions = List.of();

  @Option(
      order = 2,
      names = "--sizes",
      split = ",",
      paramLabel = "LABEL=N",
      description = "With --expression: the size of each label.")
  Map<String, Long> sizes = new LinkedHashMap<>();

  @Option(
      order = 3,
      names = "--expressions",
      paramLabel = "LIST",
      description =
          "A list of contractions: comet has the 30 of the paper, tccg has 48 (default: comet).")
  @Nullable String list;

  @Option(
      order = 4,
      names = "--program",
      paramLabel = "FILE",
      description = "Predict the contractions of this .ta program. Repeatable.")
  List<String> programs = List.of();

  @Option(
      order = 5,
      names = "--emulate",
      description =
          "Also measure each contraction, with a wait in the place of the micro-kernel. Large"
              + " contractions of a list get the sizes of 'weft bench --expressions tccg'.")
  boolean emulate;

  @Option(
      order = 6,
      names = "--rounds",
      paramLabel = "N",
      description =
          "With --emulate: the number of samples, of which the median counts (default: 3).")
  int rounds = 3;

  @Option(
      order = 7,
      names = "--report",
      paramLabel = "FILE",
      description = "Also write the figures of each contraction to this .tsv file.")
  @Nullable String report;

  @Option(
      order = 8,
      names = "--plot",
      paramLabel = "FILE",
      description =
          "Also draw the designs in this .png or .svg file. With --emulate, draw the"
              + " contractions.")
  @Nullable String plot;

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    checkOutputs(files);
    Found contractions = contractions(console, files);
    List<MatrixProduct> products = contractions.products();
    Designs read = Designs.parse(designs, StorageProgramFiles.text(files, designs));
    if (planOnly()) {
      console.result(
          "would predict %s%s on %s",
          emulate ? "and emulate " : "",
          Counts.plain(products.size(), "contraction"),
          Counts.plain(read.designs().size(), "design"));
      return;
    }
    CodesignReport found = report(console, contractions, read);
    console.text(found.table());
    Picture picture = plot == null ? null : emulate ? EmulationPlot.of(found) : FrontPlot.of(found);
    write(console, files, report, found.tabSeparated(), plot, picture);
  }

  /** The contractions, and what programs compute beside them. */
  private record Found(List<MatrixProduct> products, List<String> others) {}

  private Found contractions(Console console, FileAccess files) {
    if (rounds < 1) {
      throw usage("expected --rounds of at least 1, found %d", rounds);
    }
    if (programs.isEmpty()) {
      return new Found(statements().stream().map(MatrixProduct::of).toList(), List.of());
    }
    if (!expressions.isEmpty() || list != null) {
      throw usage("expected --program, --expression or --expressions, found two of them");
    }
    if (!sizes.isEmpty()) {
      throw usage("expected --sizes with --expression, found --program, which has its own sizes");
    }
    try (TensorCompiler compiler = TensorCompiler.create(common.compilerOptions())) {
      ProgramContractions found =
          new ProgramContractions(new Evaluator(compiler, 1), files, common.readOptions());
      StorageProgramFiles programFiles = new StorageProgramFiles(files, common, console);
      for (String program : programs) {
        String text = StorageProgramFiles.text(files, program);
        new ProgramRunner(programFiles, System.getenv(), ignored -> {})
            .explain(ProgramRunner.parse(new SourceText(program, text)), found);
      }
      if (found.products().isEmpty()) {
        throw usage(
            "expected a program with dense contractions, found none in %s; it computes%s",
            String.join(", ", programs),
            found.others().isEmpty() ? " nothing" : "\n- " + String.join("\n- ", found.others()));
      }
      return new Found(found.products(), found.others());
    }
  }

  private CodesignReport report(Console console, Found found, Designs read) {
    List<MatrixProduct> products = found.products();
    List<Prediction> predictions =
        read.designs().stream()
            .map(design -> new Prediction(design, products, read.hostSecondsPerFlop()))
            .toList();
    if (!emulate) {
      return new CodesignReport(predictions, List.of(), found.others(), List.of());
    }
    try (MemoryScope scope = MemoryScope.root("weft codesign", MemorySource.system());
        Emulation emulation = new Emulation(common.compilerOptions(), scope, rounds)) {
      List<Emulation.Times> times = new ArrayList<>();
      for (MatrixProduct product : products) {
        console.step("emulate " + product.name(), times.size(), products.size());
        times.add(emulation.measure(product, read.designs()));
      }
      List<Prediction> measured = new ArrayList<>();
      for (int at = 0; at < predictions.size(); at++) {
        int design = at;
        measured.add(
            predictions.get(at).beside(times.stream().map(t -> t.designs().get(design)).toList()));
      }
      return new CodesignReport(
          measured,
          times.stream().map(Emulation.Times::own).toList(),
          found.others(),
          emulation.notes(read.designs()));
    }
  }

  private void checkOutputs(FileAccess files) {
    if (report != null && !report.endsWith(".tsv")) {
      throw usage("expected --report to name a .tsv file, found %s", report);
    }
    if (plot != null) {
      Picture.checkName("--plot", plot);
    }
    checkOutput(files, report, plot);
  }

  private List<RandomStatement> statements() {
    if (!expressions.isEmpty()) {
      if (list != null) {
        throw usage("expected --expression or --expressions, found both");
      }
      return expressions.stream()
          .map(text -> RandomStatement.of("", text, sizes, Map.of()))
          .toList();
    }
    if (!sizes.isEmpty()) {
      throw usage("expected --expression EXPR with --sizes, found none");
    }
    String named = list == null ? "comet" : list;
    List<RandomStatement> all = TccgList.statements(emulate);
    return switch (named) {
      case "comet" -> all.subList(0, OF_PAPER);
      case "tccg" -> all;
      default -> throw usage("expected --expressions comet or tccg, found %s", named);
    };
  }
}
