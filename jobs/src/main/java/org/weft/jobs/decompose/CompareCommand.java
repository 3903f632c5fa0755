package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.command.WeftCommand;
import org.weft.jobs.model.ComparedModel;
import org.weft.jobs.model.ModelComparison;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.storage.SourceFile;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.model.ModelFolder;
import org.weft.text.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft compare}. */
@Command(
    name = "compare",
    sortOptions = false,
    description = {
      "Compare two CP models: which component of A matches which component of B, and how far"
          + " apart the two are. The drift is 0 for the same components in any order, and 1 if"
          + " nothing is alike.",
      "Rows are matched by their labels where both models have labels, otherwise by number."
    },
    footer = {
      "",
      "Example: weft compare models/current models/2026-11-20 --limit 0.2 --output drift.json"
    })
public final class CompareCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "A", description = "A model, or a pointer to one.")
  String first = "";

  @Parameters(index = "1", paramLabel = "B", description = "Another model, or a pointer to one.")
  String second = "";

  @Option(
      names = "--limit",
      paramLabel = "D",
      description = "Fail with WEFT-306 and status 2 if the drift is above D.")
  @Nullable Double limit;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Rows of each mode to show that changed most (default: ${DEFAULT-VALUE}).")
  int count = 5;

  @Option(names = "--output", paramLabel = "FILE", description = "Also write it as JSON.")
  @Nullable String output;

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    if (count < 0) {
      throw usage("expected --count of at least 0, found %d", count);
    }
    if (limit != null && !(limit >= 0)) {
      throw usage("expected --limit of at least 0, found %s", limit);
    }
    if (output != null) {
      checkOutput(files, output);
    }
    ModelFolder a = ModelFolder.open(files, first);
    ModelFolder b = ModelFolder.open(files, second);
    ModelComparison comparison = ModelComparison.of(model(files, a), model(files, b), count);
    if (planOnly()) {
      return;
    }
    if (output != null) {
      write(files, output, json(a, comparison));
    }
    print(console, a, comparison);
    if (limit != null && comparison.drift() > limit) {
      throw new WeftException(
          ErrorCode.MODEL_DRIFT,
          String.format(
              Locale.ROOT,
              "%s and %s: expected a drift of at most %s, found %.4f, most of it in component %d;"
                  + " look at it before publishing the model",
              first,
              second,
              limit,
              comparison.drift(),
              worst(comparison) + 1));
    }
  }

  private static int worst(ModelComparison comparison) {
    return comparison.matches().stream()
        .min(java.util.Comparator.comparingDouble(ModelComparison.Match::score))
        .map(ModelComparison.Match::first)
        .orElse(0);
  }

  private static ComparedModel model(FileAccess files, ModelFolder folder) throws IOException {
    ModelFolder.Components components = folder.components();
    List<List<String>> labels = new ArrayList<>();
    for (int mode = 0; mode < folder.order(); mode++) {
      labels.add(labels(files, folder.at("mode" + mode + ".tsv")));
    }
    return new ComparedModel(components.factors(), components.lambda(), labels);
  }

  private static List<String> labels(FileAccess files, String table) throws IOException {
    Path path = files.path(table);
    List<String> labels = new ArrayList<>();
    if (!files.fileSystem(path).exists(path)) {
      return labels;
    }
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(SourceFile.find(files, table).open(0), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int tab = line.indexOf('\t');
        labels.add(tab < 0 ? line : line.substring(0, tab));
      }
    }
    return labels;
  }

  private static void print(Console console, ModelFolder model, ModelComparison comparison) {
    console.result("drift %.6f", comparison.drift());
    List<String> head =
        new ArrayList<>(List.of("component", "is", "score", "lambda", "other lambda"));
    comparison.modes().forEach(mode -> head.add("cosine of " + model.modeName(mode.mode())));
    TextTable components = new TextTable(">").row(head);
    for (ModelComparison.Match match : comparison.matches()) {
      List<String> cells = new ArrayList<>(List.of(Integer.toString(match.first() + 1)));
      cells.add(match.second() < 0 ? "none" : Integer.toString(match.second() + 1));
      cells.add(number("%.4f", match.score()));
      cells.add(number("%.4g", match.lambda()));
      cells.add(number("%.4g", match.otherLambda()));
      match.cosines().forEach(cosine -> cells.add(number("%.4f", cosine)));
      components.row(cells);
    }
    console.text("\n" + components.text());
    for (ModelComparison.ModeDrift mode : comparison.modes()) {
      console.result("");
      console.result(
          "%s: drift %.4f, rows only in the first model %d, only in the second %d",
          model.modeName(mode.mode()), mode.drift(), mode.onlyFirst(), mode.onlySecond());
      TextTable changes = new TextTable("<>").row("label", "moved", "weight", "other weight");
      List<ModelComparison.Change> moved =
          comparison.changes().stream().filter(change -> change.mode() == mode.mode()).toList();
      for (ModelComparison.Change change : moved) {
        changes.row(
            change.label(),
            number("%.4g", change.distance()),
            number("%.4g", change.before()),
            number("%.4g", change.after()));
      }
      console.text(moved.isEmpty() ? "" : changes.text());
    }
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private Map<String, Object> json(ModelFolder model, ModelComparison comparison) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("schema", 1);
    json.put("first", first);
    json.put("second", second);
    json.put("drift", comparison.drift());
    List<Map<String, Object>> components = new ArrayList<>();
    for (ModelComparison.Match match : comparison.matches()) {
      Map<String, Object> component = new LinkedHashMap<>();
      component.put("first", match.first());
      component.put("second", match.second());
      component.put("score", match.score());
      component.put("lambda", List.of(match.lambda(), match.otherLambda()));
      component.put("cosines", match.cosines());
      components.add(component);
    }
    json.put("components", components);
    List<Map<String, Object>> modes = new ArrayList<>();
    for (ModelComparison.ModeDrift drift : comparison.modes()) {
      Map<String, Object> mode = new LinkedHashMap<>();
      mode.put("mode", model.modeName(drift.mode()));
      mode.put("drift", drift.drift());
      mode.put("only_first", drift.onlyFirst());
      mode.put("only_second", drift.onlySecond());
      List<Map<String, Object>> changes = new ArrayList<>();
      for (ModelComparison.Change change : comparison.changes()) {
        if (change.mode() == drift.mode()) {
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("label", change.label());
          row.put("distance", change.distance());
          row.put("before", change.before());
          row.put("after", change.after());
          changes.add(row);
        }
      }
      mode.put("changes", changes);
      modes.add(mode);
    }
    json.put("modes", modes);
    return json;
  }

  private void write(FileAccess files, String target, Map<String, Object> json) throws IOException {
    try (OutputCommit commit = OutputCommit.begin(files, target, common.overwrite)) {
      try (OutputStream out = commit.create()) {
        out.write(JsonText.of(json).getBytes(StandardCharsets.UTF_8));
      }
      commit.commit();
    }
  }
}
