package org.weft.jobs.decompose;

import static java.util.stream.Collectors.joining;
import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.command.WeftCommand;
import org.weft.jobs.model.LabelledModel;
import org.weft.jobs.model.ModelComparison;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.model.MatchedLabels;
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
      "Compare two models and measure how far apart they are.",
      "The command shows which component of A matches which component of B. The drift is 0"
          + " for the same components in any order, and 1 if nothing is alike. The mean and the"
          + " biases of completions are compared apart. Each counts as a component in the drift."
          + " Components that are zero everywhere do not count.",
      "The columns of a Tucker model are unique only up to a rotation. Two Tucker models are"
          + " compared by the angles between the spans of their columns. Rows are compared after"
          + " the rotation that aligns the columns best.",
      "Where both models have labels, rows are matched by their labels. Otherwise rows are"
          + " matched by number."
    },
    footer = {
      "",
      "Example: weft compare models/current models/2026-11-20 --limit 0.2 --output drift.json"
    })
public final class CompareCommand extends WeftCommand {
  @Parameters(
      index = "0",
      paramLabel = "A",
      description = "The folder of a model, or a pointer to it.")
  String first = "";

  @Parameters(
      index = "1",
      paramLabel = "B",
      description = "The folder of another model, or a pointer to it.")
  String second = "";

  @Option(
      names = "--limit",
      paramLabel = "D",
      description = "Fail with WEFT-306 and status 2 if the drift is above D.")
  @Nullable Double limit;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Show the N rows of each mode that changed most (default: ${DEFAULT-VALUE}).")
  int count = 5;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "Also write the comparison to this file, as JSON.")
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
    checkOutput(files, output);
    ModelFolder a = ModelFolder.open(files, first);
    ModelFolder b = ModelFolder.open(files, second);
    requireOrder(a, b);
    ModelComparison comparison =
        ModelComparison.of(LabelledModel.read(a), LabelledModel.read(b), count);
    if (planOnly()) {
      return;
    }
    noteNumbers(console, a, b);
    if (output != null) {
      write(files, output, json(a, comparison));
    }
    print(console, a, comparison);
    if (limit != null && comparison.drift() > limit) {
      throw new WeftException(
          ErrorCode.MODEL_DRIFT,
          String.format(
              Locale.ROOT,
              "%s and %s: expected a drift of at most %s, found %.4f, most of it in %s;"
                  + " look at it before publishing the model",
              first,
              second,
              limit,
              comparison.drift(),
              worst(a, comparison)));
    }
  }

  private void requireOrder(ModelFolder a, ModelFolder b) {
    new MatchedLabels(second, first, a.modeNames(), Map.of(), Map.of()).requireOrder(b.modeNames());
  }

  /** Says where rows meet by number although a model has labels for them. */
  private void noteNumbers(Console console, ModelFolder a, ModelFolder b) throws IOException {
    for (int mode = 0; mode < a.order(); mode++) {
      boolean labelled = a.labels(mode).isPresent();
      if (labelled != b.labels(mode).isPresent()) {
        console.note(
            "mode %s: only %s has labels, so rows are compared by their numbers",
            a.modeName(mode), labelled ? first : second);
      }
    }
  }

  /** The component that is least alike, or the mode of a Tucker model. */
  private static String worst(ModelFolder model, ModelComparison comparison) {
    return comparison.matches().stream()
        .min(Comparator.comparingDouble(ModelComparison.Match::score))
        .map(match -> "component " + match.first())
        .or(
            () ->
                comparison.modes().stream()
                    .max(Comparator.comparingDouble(ModelComparison.ModeDrift::drift))
                    .map(mode -> "mode " + model.modeName(mode.mode())))
        .orElse("no component");
  }

  private static void print(Console console, ModelFolder model, ModelComparison comparison) {
    console.result("drift %.6f", comparison.drift());
    List<String> head =
        new ArrayList<>(List.of("component", "is", "score", "lambda", "other lambda"));
    comparison.modes().forEach(mode -> head.add("cosine of " + model.modeName(mode.mode())));
    TextTable components = new TextTable(">").row(head);
    for (ModelComparison.Match match : comparison.matches()) {
      List<String> cells = new ArrayList<>(List.of(Integer.toString(match.first())));
      cells.add(match.second() < 0 ? "none" : Integer.toString(match.second()));
      cells.add(number("%.4f", match.score()));
      cells.add(number("%.4g", match.lambda()));
      cells.add(number("%.4g", match.otherLambda()));
      match.cosines().forEach(cosine -> cells.add(number("%.4f", cosine)));
      components.row(cells);
    }
    if (!comparison.matches().isEmpty()) {
      console.text("\n" + components.text());
    }
    for (ModelComparison.ModeDrift mode : comparison.modes()) {
      console.result("");
      console.result(
          "%s: drift %.4f, rows only in the first model %d, only in the second %d",
          model.modeName(mode.mode()), mode.drift(), mode.onlyFirst(), mode.onlySecond());
      if (!mode.angles().isEmpty()) {
        console.result(
            "angles between the spans of the columns, in degrees: %s",
            mode.angles().stream().map(angle -> number("%.2f", angle)).collect(joining(" ")));
      }
      changes(console, of(comparison.changes(), mode.mode()), "weight");
    }
    comparison.biases().ifPresent(biases -> print(console, model, biases));
  }

  private static void print(Console console, ModelFolder model, ModelComparison.BiasDrift biases) {
    console.result("");
    console.result("biases: mean %.4g, other mean %.4g", biases.mean(), biases.otherMean());
    for (int mode = 0; mode < biases.drifts().size(); mode++) {
      console.result("");
      console.result("biases of %s: drift %.4f", model.modeName(mode), biases.drifts().get(mode));
      changes(console, of(biases.changes(), mode), "bias");
    }
  }

  private static List<ModelComparison.Change> of(List<ModelComparison.Change> changes, int mode) {
    return changes.stream().filter(change -> change.mode() == mode).toList();
  }

  private static void changes(Console console, List<ModelComparison.Change> moved, String what) {
    TextTable changes = new TextTable("<>").row("label", "moved", what, "other " + what);
    for (ModelComparison.Change change : moved) {
      changes.row(
          change.label(),
          number("%.4g", change.distance()),
          number("%.4g", change.before()),
          number("%.4g", change.after()));
    }
    console.text(moved.isEmpty() ? "" : changes.text());
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
      if (!drift.angles().isEmpty()) {
        mode.put("angles", drift.angles());
      }
      mode.put("changes", rows(of(comparison.changes(), drift.mode())));
      modes.add(mode);
    }
    json.put("modes", modes);
    comparison.biases().ifPresent(biases -> json.put("biases", json(model, biases)));
    return json;
  }

  private static Map<String, Object> json(ModelFolder model, ModelComparison.BiasDrift biases) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("means", List.of(biases.mean(), biases.otherMean()));
    List<Map<String, Object>> modes = new ArrayList<>();
    for (int mode = 0; mode < biases.drifts().size(); mode++) {
      Map<String, Object> own = new LinkedHashMap<>();
      own.put("mode", model.modeName(mode));
      own.put("drift", biases.drifts().get(mode));
      own.put("changes", rows(of(biases.changes(), mode)));
      modes.add(own);
    }
    json.put("modes", modes);
    return json;
  }

  private static List<Map<String, Object>> rows(List<ModelComparison.Change> changes) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (ModelComparison.Change change : changes) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("label", change.label());
      row.put("distance", change.distance());
      row.put("before", change.before());
      row.put("after", change.after());
      rows.add(row);
    }
    return rows;
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
