package org.weft.jobs.decompose;

import static java.util.stream.Collectors.joining;
import static org.weft.jobs.output.Usage.usage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.engine.EngineTensor;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.command.WeftCommand;
import org.weft.jobs.model.ModelFigures;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.report.Figures;
import org.weft.jobs.report.ReportPage;
import org.weft.jobs.report.Residuals;
import org.weft.jobs.report.RunFigures;
import org.weft.jobs.report.RunPage;
import org.weft.jobs.run.Session;
import org.weft.jobs.workflow.Workflows;
import org.weft.spark.model.FactorModel;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.model.MatchedLabels;
import org.weft.storage.model.ModelFolder;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft report}. */
@Command(
    name = "report",
    sortOptions = false,
    description = {
      "Show a model, or the run of a workflow, as one HTML page.",
      "The page says what ran, on which tensor, and how it converged. A card for each"
          + " component has its share of the tensor's variation and the strongest labels of every"
          + " mode. A mode of time is drawn as a line in its own order. The biases of a"
          + " completion have a card of their own. Then the page shows the overlap of components,"
          + " and the run beside its plan.",
      "Of a Tucker model, the page shows the core as a picture, and a card for each column"
          + " of each factor matrix.",
      "Of the state of a workflow, the page shows a run: its steps along an axis of time,"
          + " what they made, the log, and earlier runs.",
      "A mode is a mode of time if its name has one of the words time, timestamp, date,"
          + " year, quarter, month, week, day, hour, minute and season. A mode whose labels are"
          + " all dates is one, too. The page needs no network."
    },
    footer = {
      "",
      "Example: weft report factors report.html --json report.json",
      "Example: weft report nightly.state run.html"
    })
public final class ReportCommand extends WeftCommand {
  private static final int OUTLIERS = 5;

  @Parameters(
      index = "0",
      paramLabel = "DIR",
      description = ModelCommand.FOLDER + "Or the state folder of a workflow.")
  String folder = "";

  @Parameters(index = "1", paramLabel = "OUT", description = "The .html file to write.")
  String output = "";

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the figures of the page to this file, as JSON.")
  @Nullable String json;

  @Option(
      names = "--run",
      paramLabel = "RUN",
      description = "Of the state of a workflow: the name of the run (default: the latest run).")
  String run = "";

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Show N labels of each mode and component (default: ${DEFAULT-VALUE}).")
  int count = 8;

  @Option(
      names = "--beside",
      paramLabel = "DIR",
      description = "Another model of the same tensor, for a curve of the fit by rank. Repeatable.")
  List<String> beside = List.of();

  @Option(
      names = "--tensor",
      paramLabel = "IN",
      description =
          "The tensor that was decomposed. With it, the page shows the slices and entries far"
              + " from the model.")
  @Nullable String tensor;

  @Override
  protected void run(Console console) throws IOException {
    if (count < 1) {
      throw usage("expected --count of at least 1, found %d", count);
    }
    String name = output.toLowerCase(Locale.ROOT);
    if (!name.endsWith(".html") && !name.endsWith(".htm")) {
      throw usage("expected a file name that ends in .html, found '%s'", output);
    }
    FileAccess files = CommonOptions.files();
    checkOutput(files, output, json);
    console.step("read " + folder, 0, 1);
    if (Workflows.isState(files, folder)) {
      run(files, console);
      return;
    }
    if (!run.isEmpty()) {
      throw usage("expected the state folder of a workflow with --run, found '%s'", folder);
    }
    ModelFolder model = ModelFolder.open(files, folder);
    Residuals.Found residuals =
        tensor == null || planOnly() ? null : residuals(console, model, tensor);
    Figures figures = new ModelFigures(files, model, count).read(beside, residuals);
    if (planOnly()) {
      console.result("would write %s: %s", output, components(figures));
      return;
    }
    write(files, output, ReportPage.of(figures));
    if (json != null) {
      write(files, json, json(figures.members()));
      console.result("wrote %s", json);
    }
    console.result("wrote %s: %s", output, components(figures));
  }

  private void run(FileAccess files, Console console) throws IOException {
    if (tensor != null || !beside.isEmpty()) {
      throw usage("expected neither --tensor nor --beside with the state of a workflow");
    }
    RunFigures figures =
        new Workflows(files, folder, folder, words -> Optional.empty()).figures(run);
    if (!planOnly()) {
      write(files, output, RunPage.of(figures));
      if (json != null) {
        write(files, json, json(figures));
        console.result("wrote %s", json);
      }
    }
    console.result("%s %s: %s", planOnly() ? "would write" : "wrote", output, figures.how());
  }

  private static String components(Figures figures) {
    if (figures.core() != null) {
      return "a core of "
          + figures.core().ranks().stream().map(String::valueOf).collect(joining(" x "));
    }
    int count = figures.components().size();
    return Counts.plain(count, "component");
  }

  private Residuals.Found residuals(Console console, ModelFolder model, String uri)
      throws IOException {
    Session.requireOneProcess(common, "report --tensor");
    MatchedLabels.of(CommonOptions.files(), uri, folder, model).requireSame();
    FactorModel factors = FactorModel.read(model);
    Residuals residuals = new Residuals(factors, model.hasUnknownCells());
    try (Session session = Session.open(common, "weft report " + uri, console)) {
      EngineTensor read = session.read(uri);
      long[] found = read.statistics().shape().toArray();
      long[] expected = factors.shape().toArray();
      if (!Arrays.equals(expected, found)) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            "--tensor "
                + uri
                + ": expected the model's tensor of "
                + TensorShape.of(expected)
                + ", found "
                + TensorShape.of(found));
      }
      console.step("compare " + uri, 0, 1);
      read.parts().pieces().forEachRemaining(piece -> residuals.add(piece.entries()));
      return residuals.found(OUTLIERS);
    }
  }

  private void write(FileAccess files, String uri, byte[] bytes) throws IOException {
    try (OutputCommit commit = OutputCommit.begin(files, uri, common.overwrite)) {
      try (OutputStream out = commit.create()) {
        out.write(bytes);
      }
      commit.commit();
    }
  }

  private static byte[] json(Object figures) throws IOException {
    ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    JsonNode tree = mapper.valueToTree(figures);
    return (mapper.writeValueAsString(tree) + "\n")
        .getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }
}
