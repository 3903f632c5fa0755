package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.model.ModelFigures;
import org.weft.jobs.model.ModelFolder;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.report.Figures;
import org.weft.jobs.report.ReportPage;
import org.weft.storage.FileAccess;
import org.weft.storage.OutputCommit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft report}. */
@Command(
    name = "report",
    sortOptions = false,
    description = {
      "Show a decomposition that weft cpd wrote as one HTML page to look at, print or send: what"
          + " ran, the tensor, convergence, a card for each component with its share of the"
          + " tensor's variation and the strongest labels of every mode, a mode of time as a line"
          + " in its own order, and the overlap of components.",
      "A mode is one of time if its name says so (time, date, year, month, week, day, hour) or all"
          + " its labels are dates. The page needs no network."
    },
    footer = {"", "Example: weft report factors report.html --json report.json"})
public final class ReportCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "DIR", description = "Folder that weft cpd wrote.")
  String folder = "";

  @Parameters(index = "1", paramLabel = "OUT", description = "The page: .html.")
  String output = "";

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the figures of the page as JSON.")
  @Nullable String json;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Labels of each mode and component (default: ${DEFAULT-VALUE}).")
  int count = 8;

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
    checkOutput(files, output);
    if (json != null) {
      checkOutput(files, json);
    }
    console.step("read " + folder, 0, 2);
    Figures figures = new ModelFigures(files, ModelFolder.open(files, folder), count).read();
    if (planOnly()) {
      console.result("would write %s: %d components", output, figures.components().size());
      return;
    }
    write(files, output, ReportPage.of(figures));
    if (json != null) {
      write(files, json, json(figures));
      console.result("wrote %s", json);
    }
    console.result("wrote %s: %d components", output, figures.components().size());
  }

  private void write(FileAccess files, String uri, byte[] bytes) throws IOException {
    try (OutputCommit commit = OutputCommit.begin(files, uri, common.overwrite)) {
      try (OutputStream out = commit.create()) {
        out.write(bytes);
      }
      commit.commit();
    }
  }

  private static byte[] json(Figures figures) throws IOException {
    ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    JsonNode tree = mapper.valueToTree(figures.members());
    return (mapper.writeValueAsString(tree) + "\n")
        .getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }
}
