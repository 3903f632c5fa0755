package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.bench.RandomStatement;
import org.weft.jobs.bench.TccgList;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.codesign.CodesignReport;
import org.weft.jobs.codesign.Designs;
import org.weft.jobs.codesign.FrontPlot;
import org.weft.jobs.codesign.MatrixProduct;
import org.weft.jobs.codesign.Prediction;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.run.StorageProgramFiles;
import org.weft.storage.FileAccess;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft codesign}. */
@Command(
    name = "codesign",
    sortOptions = false,
    description = {
      "Predict what accelerators for small matrix products would do for dense contractions: time,"
          + " GFLOP/s, for a watt and for an area, and which designs no other beats.",
      "A file of designs is HOCON or JSON: a tile of m x n x k, cycles (a number, \"dot(u,c)\" or"
          + " \"systolic\"), a clock, and if known bandwidth, scratchpad, power and area.",
      "The contractions are the 30 of COMET's paper unless others are named. Nothing is run; the"
          + " assumptions of the model stand below the figures."
    },
    footer = {
      "",
      "Example: weft codesign conf/accelerators.conf",
      "Example: weft codesign my.conf --expression 'C(i,j) = A(i,k) * B(k,j)'"
          + " --sizes i=512,j=512,k=64 --report c.tsv --plot c.svg"
    })
public final class CodesignCommand extends WeftCommand {
  private static final int OF_PAPER = 30;

  @Parameters(index = "0", paramLabel = "DESIGNS", description = "The file of designs.")
  String designs = "";

  @Option(
      order = 1,
      names = "--expression",
      paramLabel = "EXPR",
      description = "A product of two tensors. Repeatable.")
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
      description = "A list of contractions: comet (the paper's 30), tccg (48) (default: comet).")
  @Nullable String list;

  @Option(
      order = 4,
      names = "--report",
      paramLabel = "FILE",
      description = "Also write the figures of each contraction: a .tsv file.")
  @Nullable String report;

  @Option(
      order = 5,
      names = "--plot",
      paramLabel = "FILE",
      description = "Also draw the designs: a .png or .svg file.")
  @Nullable String plot;

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    checkOutputs(files);
    List<MatrixProduct> products = statements().stream().map(MatrixProduct::of).toList();
    Designs read = Designs.parse(designs, StorageProgramFiles.text(files, designs));
    if (planOnly()) {
      console.result(
          "would predict %d contraction(s) on %d design(s)",
          products.size(), read.designs().size());
      return;
    }
    CodesignReport found =
        new CodesignReport(
            read.designs().stream()
                .map(design -> new Prediction(design, products, read.hostSecondsPerFlop()))
                .toList());
    console.text(found.table());
    if (report != null) {
      write(console, files, report, found.tabSeparated());
    }
    if (plot != null) {
      draw(files, plot, FrontPlot.of(found));
      console.note("wrote %s", plot);
    }
  }

  private void checkOutputs(FileAccess files) {
    if (report != null && !report.endsWith(".tsv")) {
      throw usage("expected --report to name a .tsv file, found %s", report);
    }
    if (plot != null) {
      Picture.checkName("--plot", plot);
    }
    for (@Nullable String output : new @Nullable String[] {report, plot}) {
      if (output != null) {
        checkOutput(files, output);
      }
    }
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
    List<RandomStatement> all = TccgList.statements(false);
    return switch (named) {
      case "comet" -> all.subList(0, OF_PAPER);
      case "tccg" -> all;
      default -> throw usage("expected --expressions comet or tccg, found %s", named);
    };
  }
}
