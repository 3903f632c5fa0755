package org.weft.jobs.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.report.Figures;
import org.weft.jobs.report.Residuals;
import org.weft.storage.Labels;
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
    requireRank("report", model);
    scan.add(fit(summary, "this model"));
    for (String folder : beside) {
      ModelFolder compared = ModelFolder.open(files, folder);
      requireRank("--beside " + folder, compared);
      JsonNode other = compared.summary();
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

  private static void requireRank(String what, ModelFolder model) {
    if (model.isTucker()) {
      throw new WeftException(
          ErrorCode.USAGE,
          what
              + ": expected a model with one rank for the curve of --beside, found a Tucker model");
    }
  }

  private static Figures.RankFit fit(JsonNode summary, String name) {
    int columns = summary.path("rank").asInt();
    int rank = summary.path("components").asInt(columns); // without the biases of a completion
    return new Figures.RankFit(rank, summary.path("fit").asDouble(), name);
  }

  private Figures.Outliers outliers(Residuals.Found found) throws IOException {
    List<Labels> labels = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      labels.add(model.labels(mode).orElse(Labels.of(List.of())));
    }
    List<List<Figures.Outlier>> slices = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      Labels own = labels.get(mode);
      slices.add(
          found.slices().get(mode).stream()
              .map(s -> new Figures.Outlier(own.label(s.coordinate()), s.share(), s.leverage()))
              .toList());
    }
    List<Figures.Worst> worst = new ArrayList<>();
    for (Residuals.Entry entry : found.worst()) {
      List<String> names = new ArrayList<>();
      for (int mode = 0; mode < model.order(); mode++) {
        names.add(labels.get(mode).label(entry.at()[mode]));
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
}
