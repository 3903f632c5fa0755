package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.weft.jobs.command.WeftCommand;
import org.weft.jobs.model.StrongestLabels;
import org.weft.jobs.model.TopOfModel;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelFolder;
import org.weft.text.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft top}. */
@Command(
    name = "top",
    sortOptions = false,
    description = {
      "Show the strongest labels of each component of a model.",
      "The components are sorted by weight. For each component, the command shows the"
          + " labels of every mode with the largest weights, by magnitude. A mode without labels"
          + " shows its coordinates, from 1. Biases of a completion have a table. A Tucker model"
          + " shows the columns of each factor matrix with their shares of the core, and the"
          + " largest entries of the core."
    },
    footer = {"", "Example: weft top factors --count 8"})
public final class TopCommand extends WeftCommand {
  private static final int LEAST_WIDTH = 8;
  private static final int CORE_ENTRIES = 10;

  @Parameters(index = "0", paramLabel = "DIR", description = ModelCommand.FOLDER)
  String folder = "";

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Show N labels of each mode (default: ${DEFAULT-VALUE}).")
  int count = 5;

  @Option(
      names = "--width",
      paramLabel = "N",
      description =
          "The characters of a label. A longer label loses its middle (default:"
              + " ${DEFAULT-VALUE}).")
  int width = 36;

  @Option(names = "--json", description = "Print JSON, with whole labels.")
  boolean json;

  @Override
  protected void run(Console console) throws IOException {
    if (count < 1) {
      throw usage("expected --count of at least 1, found %d", count);
    }
    if (width < LEAST_WIDTH) {
      throw usage("expected --width of at least %d, found %d", LEAST_WIDTH, width);
    }
    FileAccess files = CommonOptions.files();
    ModelFolder model = ModelFolder.open(files, folder);
    TopOfModel found = TopOfModel.read(model, count, CORE_ENTRIES);
    if (json) {
      console.text(JsonText.of(found.members()));
      return;
    }
    found.parts().forEach(part -> print(console, part));
  }

  /** Modes or columns side by side, each as wide as its longest label. */
  private void print(Console console, TopOfModel.Part part) {
    console.result("%s", part.title());
    List<List<String>> columns = new ArrayList<>();
    for (TopOfModel.Ranking ranking : part.rankings()) {
      List<String> column = new ArrayList<>(List.of("          " + ranking.name()));
      for (StrongestLabels.Weighted label : ranking.labels()) {
        column.add(String.format(Locale.ROOT, "%8.3g  %s", label.weight(), shortened(label)));
      }
      columns.add(column);
    }
    int rows = columns.stream().mapToInt(List::size).max().orElse(0);
    TextTable table = new TextTable("<");
    for (int row = 0; row < rows; row++) {
      int at = row;
      table.row(columns.stream().map(column -> at < column.size() ? column.get(at) : "").toList());
    }
    table.lines().forEach(line -> console.result("  %s", line));
    console.result("");
  }

  private String shortened(StrongestLabels.Weighted label) {
    int[] text = label.label().codePoints().toArray();
    if (text.length <= width) {
      return label.label();
    }
    int tail = (width - 3) / 2;
    int head = width - 3 - tail;
    return new String(text, 0, head) + "..." + new String(text, text.length - tail, tail);
  }
}
