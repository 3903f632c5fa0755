package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.command.WeftCommand;
import org.weft.jobs.diagnose.ModelParts;
import org.weft.jobs.diagnose.RankScan;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.report.Residuals;
import org.weft.jobs.run.Session;
import org.weft.spark.model.CpValue;
import org.weft.spark.model.FactorModel;
import org.weft.storage.Labels;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.MatchedLabels;
import org.weft.storage.model.ModelFolder;
import org.weft.tensor.TensorShape;
import org.weft.text.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft diagnose}. */
@Command(
    name = "diagnose",
    sortOptions = false,
    description = {
      "Show how far a model can be trusted.",
      "The command shows the part of the tensor that the model explains, and the"
          + " consistency of its core. It also shows components that are alike or cancel, and the"
          + " slices and entries far from the model.",
      "Of a Tucker model, the command shows columns and entries with the largest shares of"
          + " the core instead of components. Of a completion, only the stored entries count, and"
          + " biases are not components. A Tucker model and a completion have no consistency of"
          + " the core.",
      "With --ranks, the command also decomposes with other ranks. It shows fit,"
          + " consistency of the core, and how alike the models of several starts are."
    },
    footer = {
      "",
      "Example: weft diagnose model x.tns.gz",
      "Example: weft diagnose model x.tns.gz --ranks 2..8 --starts 5 --plot ranks.svg"
    })
public final class DiagnoseCommand extends WeftCommand {
  private static final int MOST_RANKS = 100;

  @Parameters(index = "0", paramLabel = "MODEL", description = ModelCommand.FOLDER)
  String folder = "";

  @Parameters(index = "1", paramLabel = "IN", description = InputNames.INPUT)
  String input = "";

  @Option(
      names = "--ranks",
      paramLabel = "A..B",
      description = "Also decompose with these numbers of components, as in 2..20.")
  @Nullable String ranks;

  @Option(
      names = "--starts",
      paramLabel = "N",
      description = "With --ranks: the number of starts for each rank (default: 3).")
  int starts = 3;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      description =
          "With --ranks: end a start after this many iterations (default: ${DEFAULT-VALUE}).")
  int iterations;

  @Option(
      names = "--tolerance",
      paramLabel = "T",
      description =
          "With --ranks: end a start when its fit changes by less than T (default:"
              + " ${DEFAULT-VALUE}).")
  double tolerance;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "With --ranks: the seed of the first start (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(
      names = "--count",
      paramLabel = "N",
      description =
          "Show N slices of each mode, N pairs of components, and N parts of a core (default:"
              + " 5).")
  int count = 5;

  @Option(names = "--json", description = "Print JSON.")
  boolean json;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "With --ranks: also draw the figures in this .svg or .png file.")
  @Nullable String plot;

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    int[] range = ranks == null ? new int[] {1, 0} : range(ranks);
    if (iterations < 1) {
      throw usage("expected --iterations of at least 1, found %d", iterations);
    }
    if (!(tolerance >= 0)) {
      throw usage("expected --tolerance of at least 0, found %s", tolerance);
    }
    if (starts < 1) {
      throw usage("expected --starts of at least 1, found %d", starts);
    }
    if (count < 1) {
      throw usage("expected --count of at least 1, found %d", count);
    }
    if (ranks == null) {
      for (String option : List.of("--starts", "--iterations", "--tolerance", "--seed", "--plot")) {
        if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
          throw usage("expected --ranks A..B with %s, found none", option);
        }
      }
    }
    if (plot != null) {
      Picture.checkName("--plot", plot);
      checkOutput(files, plot);
    }
    Session.requireOneProcess(common, "diagnose");
    ModelFolder model = ModelFolder.open(files, folder);
    MatchedLabels.of(files, input, folder, model).requireSame();
    if (ranks != null && withoutConsistency(model).isPresent()) {
      throw usage(
          "expected with --ranks, which decomposes as weft cpd does, a CP model for which other"
              + " cells are zeros; found one of weft %s",
          model.method());
    }
    if (planOnly()) {
      console.result("would compare %s with %s", folder, input);
      return;
    }
    try (Session session = Session.open(common, "weft diagnose " + input, console)) {
      EngineTensor tensor = session.read(input);
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("model", folder);
      all.put("input", input);
      FactorModel factors = FactorModel.read(model);
      requireShape(model, factors.shape(), tensor.statistics().shape());
      Optional<String> without = withoutConsistency(model);
      if (without.isPresent()) {
        all.put("no_core_consistency", without.get());
      } else {
        console.step("core consistency", 0, 2);
        double[] lambda = ((CpValue) factors.value()).lambda();
        all.put(
            "core_consistency",
            RankScan.consistency(session.engine(), tensor, factors.factors(), lambda));
      }
      console.step(
          "compare with " + input, without.isPresent() ? 0 : 1, without.isPresent() ? 1 : 2);
      describe(all, model, factors, tensor);
      List<RankScan.Rank> scan = scan(session.engine(), tensor, model, range, console);
      if (!scan.isEmpty()) {
        all.put("ranks", scan.stream().map(RankScan.Rank::members).toList());
      }
      if (json) {
        console.text(JsonText.of(all));
      } else {
        print(console, all);
      }
      if (plot != null) {
        draw(files, plot, RankScan.picture(scan));
        console.note("wrote %s", plot);
      }
    }
  }

  /**
   * The shape is the model's; entries beside which all cells are unknown may be in fewer slices.
   */
  private void requireShape(ModelFolder model, TensorShape expected, TensorShape found) {
    boolean fits = expected.order() == found.order();
    for (int mode = 0; fits && mode < expected.order(); mode++) {
      fits =
          model.hasUnknownCells()
              ? found.size(mode) <= expected.size(mode)
              : found.size(mode) == expected.size(mode);
    }
    if (!fits) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          input + ": expected the model's tensor of " + expected + ", found " + found);
    }
  }

  /** Why a model has no consistency of its core, which compares it with a CP model's. */
  private static Optional<String> withoutConsistency(ModelFolder model) {
    if (model.isTucker()) {
      return Optional.of("the core of a Tucker model has entries everywhere");
    }
    return model.hasUnknownCells()
        ? Optional.of("cells that are not stored are unknown to the model")
        : Optional.empty();
  }

  /** {@code 2..20}, or {@code 3}. */
  private static int[] range(String text) {
    if (!text.matches("[0-9]{1,5}(\\.\\.[0-9]{1,5})?")) {
      throw usage("expected --ranks as A..B, such as 2..20, found '%s'", text);
    }
    String[] ends = text.split("\\.\\.");
    int first = Integer.parseInt(ends[0]);
    int last = Integer.parseInt(ends[ends.length - 1]);
    if (first < 1 || last < first || last - first >= MOST_RANKS) {
      throw usage(
          "expected --ranks A..B with A of at least 1, B of at least A, and at most %d ranks, found %s",
          MOST_RANKS, text);
    }
    return new int[] {first, last};
  }

  private List<RankScan.Rank> scan(
      Engine engine, EngineTensor tensor, ModelFolder model, int[] range, Console console) {
    List<RankScan.Rank> scan = new ArrayList<>();
    for (int rank = range[0]; rank <= range[1]; rank++) {
      console.step("rank " + rank, rank - range[0], range[1] - range[0] + 1);
      Cpd job = new Cpd(rank, iterations, tolerance, model.isNonnegative(), seed, common.type);
      scan.add(RankScan.of(engine, tensor, job, starts));
    }
    return scan;
  }

  private void describe(
      Map<String, Object> all, ModelFolder model, FactorModel factors, EngineTensor tensor)
      throws IOException {
    Residuals residuals = new Residuals(factors, model.hasUnknownCells());
    double[] squares = new double[1];
    tensor
        .parts()
        .pieces()
        .forEachRemaining(
            piece -> {
              residuals.add(piece.entries());
              for (int e = 0; e < piece.entries().size(); e++) {
                squares[0] += piece.entries().value(e) * piece.entries().value(e);
              }
            });
    Residuals.Found found = residuals.found(count);
    all.put("fit", 1 - found.relativeError());
    all.put("explained", 1 - found.relativeError() * found.relativeError());
    if (!model.hasUnknownCells()) {
      all.put("error_at_entries", found.storedShare());
    }
    all.putAll(new ModelParts(model, factors, count).members(Math.sqrt(squares[0])));
    List<Optional<Labels>> labels = new ArrayList<>();
    List<Object> slices = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      labels.add(model.labels(mode));
      for (Residuals.Slice slice : found.slices().get(mode)) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("mode", model.modeName(mode));
        members.put("slice", name(labels.get(mode), slice.coordinate()));
        members.put("error_share", slice.share());
        members.put("leverage", slice.leverage());
        slices.add(members);
      }
    }
    all.put("slices", slices);
    List<Object> entries = new ArrayList<>();
    for (Residuals.Entry entry : found.worst()) {
      Map<String, Object> members = new LinkedHashMap<>();
      List<String> at = new ArrayList<>();
      for (int mode = 0; mode < model.order(); mode++) {
        at.add(name(labels.get(mode), entry.at()[mode]));
      }
      members.put("at", at);
      members.put("value", entry.value());
      members.put("in_the_model", entry.model());
      entries.add(members);
    }
    all.put("entries", entries);
  }

  /** A label, or the number from 1. */
  private static String name(Optional<Labels> labels, long coordinate) {
    return labels
        .filter(known -> coordinate < known.size())
        .map(known -> known.label(coordinate))
        .orElse(Long.toString(coordinate + 1));
  }

  /** Members with one value a line, then each list of members as a table. */
  private static void print(Console console, Map<String, Object> all) {
    TextTable single = new TextTable("<");
    StringBuilder tables = new StringBuilder();
    all.forEach(
        (name, value) -> {
          if (value instanceof List<?> rows
              && !rows.isEmpty()
              && rows.get(0) instanceof Map<?, ?> first) {
            TextTable table = new TextTable(sides(first.values())).row(headings(first.keySet()));
            rows.forEach(row -> table.row(cells(((Map<?, ?>) row).values())));
            tables.append('\n').append(said(name)).append('\n').append(table.text());
          } else {
            single.row(said(name), cell(value));
          }
        });
    console.text(single.text() + tables);
  }

  /** Numbers stand to the right. */
  private static String sides(Collection<?> cells) {
    return cells.stream()
        .map(cell -> cell instanceof Number ? ">" : "<")
        .collect(Collectors.joining());
  }

  private static List<String> headings(Collection<?> names) {
    return names.stream().map(name -> said(name.toString())).toList();
  }

  private static List<String> cells(Collection<?> values) {
    return values.stream().map(DiagnoseCommand::cell).toList();
  }

  private static String cell(Object value) {
    if (value instanceof Double number) {
      return String.format(Locale.ROOT, "%.4f", number);
    } else if (value instanceof List<?> list) {
      String between = list.stream().allMatch(Number.class::isInstance) ? " " : " / ";
      return list.stream().map(DiagnoseCommand::cell).collect(Collectors.joining(between));
    }
    return value.toString();
  }

  private static String said(String name) {
    return name.replace('_', ' ');
  }
}
