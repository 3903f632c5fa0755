package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.weft.jobs.command.WeftCommand;
import org.weft.jobs.model.StrongestLabels;
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
      "Show the components of a CP model, heaviest first: for each, the labels of every mode with"
          + " the largest weights, by magnitude. A mode without labels shows its coordinates,"
          + " from 1."
    },
    footer = {"", "Example: weft top factors --count 8"})
public final class TopCommand extends WeftCommand {
  private static final int LEAST_WIDTH = 8;

  @Parameters(
      index = "0",
      paramLabel = "DIR",
      description = "Folder that weft cpd, complete, cpapr or gcp wrote.")
  String folder = "";

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Labels of each mode (default: ${DEFAULT-VALUE}).")
  int count = 5;

  @Option(
      names = "--width",
      paramLabel = "N",
      description =
          "Most characters of a label; longer ones lose their middle (default: ${DEFAULT-VALUE}).")
  int width = 36;

  @Option(names = "--json", description = "As JSON, labels whole.")
  boolean json;

  @Override
  protected void run(Console console) throws IOException {
    if (count < 1 || width < LEAST_WIDTH) {
      throw usage(
          "expected --count of at least 1 and --width of at least %d, found %d and %d",
          LEAST_WIDTH, count, width);
    }
    FileAccess files = CommonOptions.files();
    ModelFolder model = ModelFolder.open(files, folder);
    double[] lambda = model.lambda();
    List<String> names = new ArrayList<>();
    List<StrongestLabels> modes = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      names.add(model.modeName(mode));
      modes.add(mode(files, model, mode, lambda.length));
    }
    List<Integer> order =
        IntStream.range(0, lambda.length)
            .boxed()
            .sorted(Comparator.comparingDouble((Integer r) -> -Math.abs(lambda[r])))
            .toList();
    if (json) {
      console.text(json(order, lambda, names, modes));
      return;
    }
    for (int r : order) {
      console.result("component %d   lambda %.4g", r, lambda[r]);
      table(console, names, modes.stream().map(mode -> mode.of(r)).toList());
      console.result("");
    }
  }

  private StrongestLabels mode(FileAccess files, ModelFolder model, int mode, int rank)
      throws IOException {
    String table = model.at("mode" + mode + ".tsv");
    Path labelled = files.path(table);
    return files.fileSystem(labelled).exists(labelled)
        ? StrongestLabels.ofTable(files, table, rank, count)
        : StrongestLabels.ofMatrix(model.factor(mode, rank), count);
  }

  /** Modes side by side, each as wide as its longest label. */
  private void table(
      Console console, List<String> names, List<List<StrongestLabels.Weighted>> modes) {
    List<List<String>> columns = new ArrayList<>();
    for (int mode = 0; mode < names.size(); mode++) {
      List<String> column = new ArrayList<>(List.of("          " + names.get(mode)));
      for (StrongestLabels.Weighted label : modes.get(mode)) {
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

  private static String json(
      List<Integer> order, double[] lambda, List<String> names, List<StrongestLabels> modes)
      throws IOException {
    List<Object> components = new ArrayList<>();
    for (int r : order) {
      List<Object> all = new ArrayList<>();
      for (int mode = 0; mode < names.size(); mode++) {
        List<Object> labels = new ArrayList<>();
        for (StrongestLabels.Weighted label : modes.get(mode).of(r)) {
          labels.add(members("label", label.label(), "weight", label.weight()));
        }
        all.add(members("mode", names.get(mode), "labels", labels));
      }
      Map<String, Object> component = members("component", r, "lambda", lambda[r]);
      component.put("modes", all);
      components.add(component);
    }
    return JsonText.of(Map.of("components", components));
  }

  private static Map<String, Object> members(
      String first, Object one, String second, Object another) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put(first, one);
    members.put(second, another);
    return members;
  }
}
