package org.weft.jobs.model;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.spark.model.ModelValue;
import org.weft.spark.model.TuckerValue;
import org.weft.storage.model.ModelFolder;

/**
 * What is strongest in a model: the labels of each component, or of each column of a Tucker model
 * and the entries of its core; and the biases of a completion.
 *
 * @param parts for people
 * @param members for programs: the same as JSON
 */
public record TopOfModel(List<Part> parts, Map<String, Object> members) {
  /** Rankings side by side, under a title. */
  public record Part(String title, List<Ranking> rankings) {}

  /** The strongest labels of a mode or of a column. */
  public record Ranking(String name, List<StrongestLabels.Weighted> labels) {}

  /**
   * Reads a model.
   *
   * @param count labels of each mode and column
   * @param entries of a core
   */
  public static TopOfModel read(ModelFolder model, int count, int entries) throws IOException {
    ModelValue value = ModelValue.read(model);
    List<StrongestLabels> modes = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      modes.add(StrongestLabels.of(model, mode, value.columns(mode), count));
    }
    TopOfModel found = new TopOfModel(new ArrayList<>(), new LinkedHashMap<>());
    if (value instanceof TuckerValue core) {
      found.addColumns(model.modeNames(), core, modes);
      found.addEntries(model.modeNames(), CoreEntry.largest(core, entries));
    } else {
      Optional<Biases> biases = Biases.of(model);
      int components = biases.map(Biases::components).orElse(value.terms());
      found.addComponents(model.modeNames(), value, components, modes);
      biases.ifPresent(own -> found.addBiases(model.modeNames(), own, modes));
    }
    return found;
  }

  private void addComponents(
      List<String> names, ModelValue value, int components, List<StrongestLabels> modes) {
    List<Object> all = new ArrayList<>();
    IntStream.range(0, components)
        .boxed()
        .sorted(Comparator.comparingDouble((Integer r) -> -Math.abs(value.weight(r))))
        .forEach(
            r -> {
              List<Ranking> rankings = new ArrayList<>();
              for (int mode = 0; mode < names.size(); mode++) {
                rankings.add(new Ranking(names.get(mode), modes.get(mode).of(r)));
              }
              double lambda = value.weight(r);
              parts.add(
                  new Part(
                      String.format(Locale.ROOT, "component %d   lambda %.4g", r, lambda),
                      rankings));
              Map<String, Object> component = members("component", r, "lambda", lambda);
              component.put("modes", rankings.stream().map(TopOfModel::ofMode).toList());
              all.add(component);
            });
    members.put("components", all);
  }

  private void addBiases(List<String> names, Biases biases, List<StrongestLabels> modes) {
    List<Ranking> rankings = new ArrayList<>();
    for (int mode = 0; mode < names.size(); mode++) {
      double scale = biases.scales()[mode];
      rankings.add(
          new Ranking(
              names.get(mode),
              modes.get(mode).of(biases.column(mode)).stream()
                  .map(w -> new StrongestLabels.Weighted(w.row(), w.label(), scale * w.weight()))
                  .toList()));
    }
    parts.add(
        new Part(
            String.format(Locale.ROOT, "biases, added to a mean of %.4g", biases.mean()),
            rankings));
    members.put("mean", biases.mean());
    members.put("biases", rankings.stream().map(TopOfModel::ofMode).toList());
  }

  private void addColumns(List<String> names, TuckerValue core, List<StrongestLabels> modes) {
    List<Object> all = new ArrayList<>();
    for (int mode = 0; mode < names.size(); mode++) {
      double[] shares = CoreEntry.shares(core, mode);
      List<Ranking> rankings = new ArrayList<>();
      List<Object> columns = new ArrayList<>();
      for (int column = 0; column < shares.length; column++) {
        Ranking ranking =
            new Ranking(
                String.format(Locale.ROOT, "column %d, %.1f %%", column, 100 * shares[column]),
                modes.get(mode).of(column));
        rankings.add(ranking);
        Map<String, Object> members = members("column", column, "share", shares[column]);
        members.put("labels", labels(ranking));
        columns.add(members);
      }
      for (int from = 0; from < rankings.size(); from += SIDE_BY_SIDE) {
        List<Ranking> some = rankings.subList(from, Math.min(rankings.size(), from + SIDE_BY_SIDE));
        parts.add(new Part(names.get(mode), some));
      }
      all.add(members("mode", names.get(mode), "columns", columns));
    }
    members.put("modes", all);
  }

  private void addEntries(List<String> names, List<CoreEntry> entries) {
    parts.add(
        new Part(
            "core",
            List.of(
                new Ranking(
                    "columns of " + String.join(", ", names),
                    entries.stream()
                        .map(entry -> new StrongestLabels.Weighted(0, entry.place(), entry.value()))
                        .toList()))));
    members.put("core", entries.stream().map(CoreEntry::members).toList());
  }

  /** Columns of a factor in a part: as many as fit a line of a terminal. */
  private static final int SIDE_BY_SIDE = 4;

  private static Map<String, Object> ofMode(Ranking ranking) {
    return members("mode", ranking.name(), "labels", labels(ranking));
  }

  private static List<Object> labels(Ranking ranking) {
    List<Object> labels = new ArrayList<>();
    for (StrongestLabels.Weighted label : ranking.labels()) {
      labels.add(members("label", label.label(), "weight", label.weight()));
    }
    return labels;
  }

  private static Map<String, Object> members(
      String first, Object one, String second, Object another) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put(first, one);
    members.put(second, another);
    return members;
  }
}
