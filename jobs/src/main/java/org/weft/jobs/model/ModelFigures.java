package org.weft.jobs.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.report.Figures;
import org.weft.jobs.report.Mirrors;
import org.weft.jobs.report.Residuals;
import org.weft.jobs.report.Signs;
import org.weft.spark.model.CpValue;
import org.weft.spark.model.FactorModel;
import org.weft.spark.model.TuckerValue;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelFolder;
import org.weft.tensor.DenseMatrix;

/** Reads the {@link Figures} of a report from the folder of a decomposition. */
public final class ModelFigures {
  private static final int MOST_POINTS = 365;
  private static final int ENTRIES = 12;
  private static final Pattern TIME_NAME =
      Pattern.compile(
          "(?i)(^|.*[^a-z])(time|date|year|quarter|month|week|day|hour|minute|timestamp|season)s?([^a-z].*|$)");
  private static final Pattern DATE =
      Pattern.compile("\\d{4}(-(\\d{2}|W\\d{2}|Q\\d)(-\\d{2})?([T ]\\d{2}(:.*)?)?)?");

  private final FileAccess files;
  private final ModelFolder model;
  private final JsonNode summary;
  private final int count;
  private final List<@Nullable Ends> ends = new ArrayList<>();
  private final List<StrongestLabels> strongest = new ArrayList<>();

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
    FactorModel factors = FactorModel.read(model);
    List<Figures.Mode> modes = new ArrayList<>();
    List<String> things = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      long rows = factors.factors().get(mode).rows();
      Ends own = ends(model.labels(mode).orElse(Labels.of(List.of())), rows);
      boolean time = rows > 2 && (own.dates() || named(model.modeName(mode)));
      modes.add(new Figures.Mode(model.modeName(mode), rows, time));
      ends.add(time ? own : null);
      things.add(rows + " from " + own.first() + " to " + own.last());
      strongest.add(StrongestLabels.of(model, mode, factors.value().columns(mode), count));
    }
    Parts parts =
        factors.value() instanceof TuckerValue value
            ? new Parts(List.of(), false, null, core(factors, value), new double[0][])
            : components(factors, things);
    String input = summary.path("input").asText("a tensor");
    String name = input.substring(input.lastIndexOf('/') + 1);
    return new Figures(
        (parts.core() == null ? "Components of " : "Tucker model of ") + name,
        run(),
        modes,
        profile(),
        summary.path("measure").asText("fit"),
        numbers(summary.path("fits")),
        starts(),
        others(),
        parts.components(),
        parts.ofModel(),
        parts.biases(),
        parts.core(),
        parts.overlap(),
        residuals(),
        new MeasuredFigures(files, model).read(beside, residuals));
  }

  /** What the model is the sum of. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Parts(
      List<Figures.Component> components,
      boolean ofModel,
      Figures.@Nullable Baseline biases,
      Figures.@Nullable Core core,
      double[][] overlap) {}

  private Parts components(FactorModel factors, List<String> things) throws IOException {
    double[] lambda = ((CpValue) factors.value()).lambda();
    double[][] products = Figures.innerProducts(factors.grams(), lambda.length);
    double norm = summary.path("norm").asDouble();
    boolean ofModel = model.hasUnknownCells();
    double[] shares = Figures.shares(lambda, products, 1);
    double squares = ofModel ? Arrays.stream(shares).sum() : norm * norm;
    shares = Figures.shares(lambda, products, squares);
    Optional<Biases> biases = Biases.of(model);
    int rank = biases.map(Biases::components).orElse(lambda.length);
    List<Integer> order = Figures.byShare(shares, rank);
    Signs signs = Signs.of(factors.factors(), lambda.length);
    List<Mirrors.Mirror> mirrors = Mirrors.find(factors.factors(), order, things);
    List<Figures.Component> cards = new ArrayList<>();
    for (int r : order) {
      Map<Integer, Figures.Line> lines = new LinkedHashMap<>();
      for (int mode = 0; mode < strongest.size(); mode++) {
        Figures.Line line = line(factors, mode, r, signs.of(mode, r));
        if (line != null) {
          lines.put(mode, line);
        }
      }
      Figures.Image image = null;
      for (Mirrors.Mirror mirror : mirrors) {
        image = mirror.of() == r ? image(mirror, shares, signs) : image;
      }
      boolean isImage = mirrors.stream().anyMatch(mirror -> mirror.number() == r);
      cards.add(
          new Figures.Component(
              r, lambda[r], shares[r], weighted(signs, r), lines, image, isImage));
    }
    return new Parts(
        cards,
        ofModel,
        biases.isEmpty() ? null : baseline(biases.get(), factors, shares),
        null,
        Figures.cosines(products, order));
  }

  private Figures.Baseline baseline(Biases biases, FactorModel factors, double[] shares) {
    List<List<Figures.Weighted>> strongest = new ArrayList<>();
    Map<Integer, Figures.Line> lines = new LinkedHashMap<>();
    for (int mode = 0; mode < model.order(); mode++) {
      double scale = biases.scales()[mode];
      strongest.add(weighted(mode, biases.column(mode), scale));
      Figures.Line line = line(factors, mode, biases.column(mode), scale);
      if (line != null) {
        lines.put(mode, line);
      }
    }
    double share = Arrays.stream(shares).skip(biases.components()).sum();
    return new Figures.Baseline(biases.mean(), share, strongest, lines);
  }

  private Figures.Core core(FactorModel factors, TuckerValue value) {
    Signs signs = Signs.ofCore(factors.factors());
    double[] shown = value.core().clone();
    double squares = 0;
    for (int term = 0; term < shown.length; term++) {
      for (int mode = 0; mode < factors.order(); mode++) {
        shown[term] *= signs.of(mode, value.column(term, mode));
      }
      squares += shown[term] * shown[term];
    }
    List<List<Figures.Column>> columns = new ArrayList<>();
    for (int mode = 0; mode < factors.order(); mode++) {
      double[] shares = CoreEntry.shares(value, mode);
      List<Figures.Column> own = new ArrayList<>();
      for (int column = 0; column < shares.length; column++) {
        int sign = signs.of(mode, column);
        own.add(
            new Figures.Column(
                column,
                shares[column],
                weighted(mode, column, sign),
                line(factors, mode, column, sign)));
      }
      columns.add(own);
    }
    TuckerValue core = new TuckerValue(value.ranks(), shown);
    double norm = summary.path("norm").asDouble();
    return new Figures.Core(
        Arrays.stream(value.ranks()).boxed().toList(),
        norm == 0 ? 0 : squares / (norm * norm),
        columns,
        CoreEntry.largest(core, ENTRIES).stream()
            .map(entry -> new Figures.Entry(entry.columns(), entry.value(), entry.share()))
            .toList(),
        shown);
  }

  private List<Figures.Weighted> weighted(int mode, int column, double scale) {
    return strongest.get(mode).of(column).stream()
        .map(w -> new Figures.Weighted(w.label(), scale * w.weight()))
        .toList();
  }

  private List<List<Figures.Weighted>> weighted(Signs signs, int r) {
    return IntStream.range(0, strongest.size())
        .mapToObj(mode -> weighted(mode, r, signs.of(mode, r)))
        .toList();
  }

  private Figures.Image image(Mirrors.Mirror mirror, double[] shares, Signs signs) {
    Map<Integer, List<Figures.Weighted>> own = new LinkedHashMap<>();
    for (int mode = 0; mode < strongest.size(); mode++) {
      if (mode != mirror.first() && mode != mirror.second()) {
        own.put(mode, weighted(mode, mirror.number(), signs.of(mode, mirror.number())));
      }
    }
    return new Figures.Image(
        mirror.number(),
        shares[mirror.number()],
        model.modeName(mirror.first()) + " and " + model.modeName(mirror.second()),
        own);
  }

  private static boolean named(String mode) {
    return TIME_NAME.matcher(mode).matches();
  }

  /** First and last label of a mode, and whether all are dates in order. */
  private record Ends(String first, String last, boolean dates) {}

  private static Ends ends(Labels labels, long rows) {
    boolean dates = labels.size() > 0;
    for (int at = 0; dates && at < labels.size(); at++) {
      String label = labels.label(at);
      dates =
          DATE.matcher(label).matches() && (at == 0 || label.compareTo(labels.label(at - 1)) > 0);
    }
    return rows == 0
        ? new Ends("", "", false)
        : new Ends(labels.label(0), labels.label(rows - 1), dates);
  }

  /**
   * A column in the order of its mode; null if the mode is not one of time. Of a long column, the
   * largest weight of each run of rows.
   */
  private Figures.@Nullable Line line(FactorModel factors, int mode, int column, double scale) {
    Ends own = ends.get(mode);
    if (own == null) {
      return null;
    }
    DenseMatrix factor = factors.factors().get(mode);
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
      weights.add(scale * most);
    }
    return new Figures.Line(own.first(), own.last(), weights);
  }

  private Map<String, String> run() {
    Map<String, String> run = new LinkedHashMap<>();
    put(run, "Command", summary.path("command"));
    put(run, "Input", summary.path("input"));
    put(run, "Method", summary.path("method"));
    put(run, "Rank", summary.path(model.isCompletion() ? "components" : "rank"));
    if (model.isTucker()) {
      run.put(
          "Ranks",
          Arrays.stream(model.ranks()).mapToObj(String::valueOf).collect(Collectors.joining(", ")));
    }
    if (summary.path("nonnegative").asBoolean()) {
      run.put("Constraint", "nonnegative factors");
    }
    seed(run);
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

  /** The seed of the start that was kept: a summary has that of the first start. */
  private void seed(Map<String, String> run) {
    JsonNode starts = summary.path("starts");
    List<Double> kept = numbers(summary.path("fits"));
    for (JsonNode start : starts) {
      if (starts.size() > 1 && start.has("seed") && numbers(start.path("fits")).equals(kept)) {
        run.put(
            "Seed",
            String.format(
                Locale.ROOT,
                "%s, the best of %d starts from seed %s",
                start.path("seed").asText(),
                starts.size(),
                summary.path("seed").asText()));
        return;
      }
    }
    put(run, "Seed", summary.path("seed"));
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
    summary.path("starts").findValues("fit").forEach(fit -> fits.add(fit.asDouble()));
    return fits;
  }

  private List<List<Double>> others() {
    List<Double> kept = numbers(summary.path("fits"));
    List<List<Double>> others = new ArrayList<>();
    for (JsonNode start : summary.path("starts")) {
      List<Double> fits = numbers(start.path("fits"));
      if (!fits.isEmpty() && !fits.equals(kept)) {
        others.add(fits);
      }
    }
    return others;
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
