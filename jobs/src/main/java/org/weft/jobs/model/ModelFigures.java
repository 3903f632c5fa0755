package org.weft.jobs.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.report.Figures;
import org.weft.jobs.report.Mirrors;
import org.weft.jobs.report.Residuals;
import org.weft.jobs.report.Signs;
import org.weft.storage.SourceFile;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelFolder;
import org.weft.tensor.DenseMatrix;

/** Reads the {@link Figures} of a report from the folder of a decomposition. */
public final class ModelFigures {
  private static final int MOST_POINTS = 365;
  private static final Pattern TIME_NAME =
      Pattern.compile(
          "(?i)(^|.*[^a-z])(time|date|year|quarter|month|week|day|hour|minute|timestamp|season)s?([^a-z].*|$)");
  private static final Pattern DATE =
      Pattern.compile("\\d{4}(-(\\d{2}|W\\d{2}|Q\\d)(-\\d{2})?([T ]\\d{2}(:.*)?)?)?");

  private final FileAccess files;
  private final ModelFolder model;
  private final JsonNode summary;
  private final int count;

  /**
   * @param count most labels of a mode and component
   */
  public ModelFigures(FileAccess files, ModelFolder model, int count) {
    this.files = files;
    this.model = model;
    this.summary = model.summary();
    this.count = count;
  }

  /**
   * @param beside folders of other models of the tensor
   * @param residuals of the tensor, if it was read
   */
  public Figures read(List<String> beside, Residuals.@Nullable Found residuals) throws IOException {
    ModelFolder.Components components = model.components();
    double[] lambda = components.lambda();
    double[][] products = Figures.innerProducts(components.factors(), lambda.length);
    double[] shares = Figures.shares(lambda, products, summary.path("norm").asDouble());
    List<Integer> order = Figures.byShare(shares);
    List<Figures.Mode> modes = new ArrayList<>();
    List<StrongestLabels> strongest = new ArrayList<>();
    List<@Nullable Ends> times = new ArrayList<>();
    List<String> things = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      DenseMatrix factor = components.factors().get(mode);
      String table = model.at("mode" + mode + ".tsv");
      Path path = files.path(table);
      boolean labelled = files.fileSystem(path).exists(path);
      Ends ends = labelled ? ends(table) : numbers(factor.rows());
      boolean time = factor.rows() > 2 && (ends.dates() || named(model.modeName(mode)));
      modes.add(new Figures.Mode(model.modeName(mode), factor.rows(), time));
      times.add(time ? ends : null);
      things.add(factor.rows() + " from " + ends.first() + " to " + ends.last());
      strongest.add(
          labelled
              ? StrongestLabels.ofTable(files, table, lambda.length, count)
              : StrongestLabels.ofMatrix(factor, count));
    }
    Signs signs = Signs.of(components.factors(), lambda.length);
    List<Mirrors.Mirror> mirrors = Mirrors.find(components.factors(), order, things);
    List<Figures.Component> cards = new ArrayList<>();
    for (int r : order) {
      Map<Integer, Figures.Line> lines = new LinkedHashMap<>();
      for (int mode = 0; mode < modes.size(); mode++) {
        Ends ends = times.get(mode);
        if (ends != null) {
          lines.put(mode, line(components.factors().get(mode), r, signs.of(mode, r), ends));
        }
      }
      Figures.Image image =
          mirrors.stream()
              .filter(mirror -> mirror.of() == r)
              .findFirst()
              .map(mirror -> image(mirror, order, shares, strongest, signs))
              .orElse(null);
      boolean isImage = mirrors.stream().anyMatch(mirror -> mirror.number() == r);
      cards.add(
          new Figures.Component(
              r, lambda[r], shares[r], weighted(strongest, signs, r), lines, image, isImage));
    }
    String input = summary.path("input").asText("a tensor");
    return new Figures(
        "Components of " + input.substring(input.lastIndexOf('/') + 1),
        run(),
        modes,
        profile(),
        summary.path("measure").asText("fit"),
        numbers(summary.path("fits")),
        starts(),
        cards,
        Figures.cosines(products, order),
        residuals(),
        new MeasuredFigures(files, model).read(beside, residuals));
  }

  private static List<List<Figures.Weighted>> weighted(
      List<StrongestLabels> strongest, Signs signs, int r) {
    return IntStream.range(0, strongest.size())
        .mapToObj(
            mode ->
                strongest.get(mode).of(r).stream()
                    .map(w -> new Figures.Weighted(w.label(), signs.of(mode, r) * w.weight()))
                    .toList())
        .toList();
  }

  private Figures.Image image(
      Mirrors.Mirror mirror,
      List<Integer> order,
      double[] shares,
      List<StrongestLabels> strongest,
      Signs signs) {
    Map<Integer, List<Figures.Weighted>> own = new LinkedHashMap<>();
    for (int mode = 0; mode < strongest.size(); mode++) {
      if (mode != mirror.first() && mode != mirror.second()) {
        own.put(mode, weighted(strongest, signs, mirror.number()).get(mode));
      }
    }
    return new Figures.Image(
        order.indexOf(mirror.number()) + 1,
        shares[mirror.number()],
        model.modeName(mirror.first()) + " and " + model.modeName(mirror.second()),
        own);
  }

  private static boolean named(String mode) {
    return TIME_NAME.matcher(mode).matches();
  }

  /** First and last label of a mode, and whether all are dates in order. */
  private record Ends(String first, String last, boolean dates) {}

  private static Ends numbers(long rows) {
    return new Ends("1", Long.toString(rows), false);
  }

  private Ends ends(String table) throws IOException {
    String first = null;
    String last = "";
    boolean dates = true;
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(SourceFile.find(files, table).open(0), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int tab = line.indexOf('\t');
        String label = tab < 0 ? line : line.substring(0, tab);
        dates = dates && DATE.matcher(label).matches() && label.compareTo(last) > 0;
        first = first == null ? label : first;
        last = label;
      }
    }
    return new Ends(first == null ? "" : first, last, dates && first != null);
  }

  /** A column in the order of the mode; of a long one the largest weight of each run of rows. */
  private static Figures.Line line(DenseMatrix factor, int column, int sign, Ends ends) {
    long rows = factor.rows();
    int points = (int) Math.min(rows, MOST_POINTS);
    List<Double> weights = new ArrayList<>();
    for (int p = 0; p < points; p++) {
      long to = rows * (p + 1) / points;
      double most = 0;
      for (long row = rows * p / points; row < to; row++) {
        double weight = factor.get(row, column);
        most = Math.abs(weight) > Math.abs(most) ? weight : most;
      }
      weights.add(sign * most);
    }
    return new Figures.Line(ends.first(), ends.last(), weights);
  }

  private Map<String, String> run() {
    Map<String, String> run = new LinkedHashMap<>();
    put(run, "Command", summary.path("command"));
    put(run, "Input", summary.path("input"));
    put(run, "Method", summary.path("method"));
    put(run, "Rank", summary.path("rank"));
    if (summary.path("nonnegative").asBoolean()) {
      run.put("Constraint", "nonnegative factors");
    }
    put(run, "Seed", summary.path("seed"));
    put(run, "Values", summary.path("type"));
    run.put("Converged", summary.path("converged").asBoolean() ? "yes" : "no");
    if (summary.path("times").has("total")) {
      run.put("Time", String.format(Locale.ROOT, "%.2f s", summary.at("/times/total").asDouble()));
    }
    if (summary.path("versions").has("weft")) {
      put(run, "Weft", summary.at("/versions/weft"));
    }
    return run;
  }

  private static void put(Map<String, String> all, String name, JsonNode value) {
    if (value.isValueNode() && !value.isNull()) {
      all.put(name, value.asText());
    }
  }

  private Map<String, String> profile() {
    Map<String, String> profile = new LinkedHashMap<>();
    double cells = 1;
    for (JsonNode size : summary.path("dims")) {
      cells *= size.asDouble();
    }
    long entries = summary.path("nnz").asLong();
    profile.put("Entries", String.format(Locale.ROOT, "%,d", entries));
    profile.put("Density", cells == 0 ? "0" : String.format(Locale.ROOT, "%.3g", entries / cells));
    profile.put("2-norm", String.format(Locale.ROOT, "%.6g", summary.path("norm").asDouble()));
    return profile;
  }

  private static List<Double> numbers(JsonNode array) {
    List<Double> numbers = new ArrayList<>();
    array.forEach(number -> numbers.add(number.asDouble()));
    return numbers;
  }

  private List<Double> starts() {
    List<Double> fits = new ArrayList<>();
    summary.path("starts").forEach(start -> fits.add(start.path("fit").asDouble()));
    return fits;
  }

  /** Whatever figures the summary has under {@code residuals}. */
  private Map<String, String> residuals() {
    Map<String, String> residuals = new LinkedHashMap<>();
    summary
        .path("residuals")
        .fields()
        .forEachRemaining(field -> put(residuals, field.getKey(), field.getValue()));
    return residuals;
  }
}
