package org.weft.jobs.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.report.Figures;
import org.weft.jobs.report.Residuals;
import org.weft.storage.SourceFile;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelFolder;

/** What a run took, models of other ranks, and outliers by their labels. */
final class MeasuredFigures {
  private final FileAccess files;
  private final ModelFolder model;
  private final JsonNode summary;

  MeasuredFigures(FileAccess files, ModelFolder model) {
    this.files = files;
    this.model = model;
    this.summary = model.summary();
  }

  Figures.Measured read(List<String> beside, Residuals.@Nullable Found found) throws IOException {
    List<Figures.Step> steps = new ArrayList<>();
    summary.path("steps").forEach(step -> steps.add(step(step)));
    JsonNode machine = summary.path("machine");
    return new Figures.Measured(
        steps,
        new Figures.Machine(machine.path("gflops").asDouble(), machine.path("gbps").asDouble()),
        scan(beside),
        found == null ? null : outliers(found));
  }

  private static Figures.Step step(JsonNode step) {
    return new Figures.Step(
        step.path("step").asText(),
        step.path("calls").asInt(),
        step.path("predicted_seconds").asDouble(Double.NaN),
        step.path("measured_seconds").asDouble(),
        step.path("gflops").asDouble(),
        step.path("gbps").asDouble(),
        step.path("skew").asDouble(1));
  }

  private List<Figures.RankFit> scan(List<String> beside) throws IOException {
    List<Figures.RankFit> scan = new ArrayList<>();
    if (beside.isEmpty()) {
      return scan;
    }
    scan.add(fit(summary, "this model"));
    for (String folder : beside) {
      JsonNode other = ModelFolder.open(files, folder).summary();
      if (!other.path("dims").equals(summary.path("dims"))) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            "--beside "
                + folder
                + ": expected a model of a tensor of "
                + summary.path("dims")
                + ", found "
                + other.path("dims"));
      }
      scan.add(fit(other, folder.replaceAll("/+$", "").replaceAll(".*/", "")));
    }
    scan.sort(Comparator.comparingInt(Figures.RankFit::rank));
    return scan;
  }

  private static Figures.RankFit fit(JsonNode summary, String name) {
    return new Figures.RankFit(summary.path("rank").asInt(), summary.path("fit").asDouble(), name);
  }

  private Figures.Outliers outliers(Residuals.Found found) throws IOException {
    List<Map<Long, String>> labels = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      Set<Long> wanted = new TreeSet<>();
      found.slices().get(mode).forEach(slice -> wanted.add(slice.coordinate()));
      for (Residuals.Entry entry : found.worst()) {
        wanted.add(entry.at()[mode]);
      }
      labels.add(labels(mode, wanted));
    }
    List<List<Figures.Outlier>> slices = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      Map<Long, String> own = labels.get(mode);
      slices.add(
          found.slices().get(mode).stream()
              .map(s -> new Figures.Outlier(label(own, s.coordinate()), s.share(), s.leverage()))
              .toList());
    }
    List<Figures.Worst> worst = new ArrayList<>();
    for (Residuals.Entry entry : found.worst()) {
      List<String> names = new ArrayList<>();
      for (int mode = 0; mode < model.order(); mode++) {
        names.add(label(labels.get(mode), entry.at()[mode]));
      }
      worst.add(new Figures.Worst(names, entry.value(), entry.model()));
    }
    return new Figures.Outliers(
        found.entries(),
        found.relativeError(),
        found.storedShare(),
        slices,
        found.histogram(),
        worst);
  }

  private static String label(Map<Long, String> labels, long coordinate) {
    return labels.getOrDefault(coordinate, Long.toString(coordinate + 1));
  }

  /** The labels of some coordinates, in one pass over those of the mode. */
  private Map<Long, String> labels(int mode, Set<Long> wanted) throws IOException {
    Map<Long, String> found = new HashMap<>();
    String table = model.at("mode" + mode + ".tsv");
    Path path = files.path(table);
    if (!files.fileSystem(path).exists(path)) {
      return found;
    }
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(SourceFile.find(files, table).open(0), StandardCharsets.UTF_8))) {
      String line = in.readLine();
      for (long row = 0; line != null && found.size() < wanted.size(); row++) {
        if (wanted.contains(row)) {
          int tab = line.indexOf('\t');
          found.put(row, tab < 0 ? line : line.substring(0, tab));
        }
        line = in.readLine();
      }
    }
    return found;
  }
}
