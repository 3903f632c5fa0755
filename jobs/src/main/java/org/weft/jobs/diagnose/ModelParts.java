package org.weft.jobs.diagnose;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.jobs.model.Biases;
import org.weft.jobs.model.CoreEntry;
import org.weft.spark.model.CpValue;
import org.weft.spark.model.FactorModel;
import org.weft.spark.model.TuckerValue;
import org.weft.storage.model.ModelFolder;
import org.weft.tensor.DenseMatrix;

/** What a model is the sum of, for people and JSON: components and biases, or a core. */
public final class ModelParts {
  private final ModelFolder folder;
  private final FactorModel model;
  private final int count;

  /**
   * @param count most pairs of components, columns of a mode, and entries of a core
   */
  public ModelParts(ModelFolder folder, FactorModel model, int count) {
    this.folder = folder;
    this.model = model;
    this.count = count;
  }

  /**
   * The members.
   *
   * @param norm of the tensor
   */
  public Map<String, Object> members(double norm) throws IOException {
    return model.value() instanceof TuckerValue core ? core(core) : components(norm);
  }

  /** A model of unknown cells has values where its tensor has none: shares are of the model. */
  private Map<String, Object> components(double norm) throws IOException {
    double[] lambda = ((CpValue) model.value()).lambda();
    Optional<Biases> biases = Biases.of(folder);
    int rank = biases.map(Biases::components).orElse(lambda.length);
    double whole = folder.hasUnknownCells() ? Math.sqrt(squares()) : norm;
    Components parts = Components.of(model.factors(), Arrays.copyOf(lambda, rank), whole);
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("degenerate", parts.isDegenerate());
    members.put("component_norms", parts.norms());
    members.put("component_shares", parts.shares());
    members.put(
        "alike", parts.pairs().stream().limit(count).map(Components.Pair::members).toList());
    if (biases.isPresent()) {
      members.put("mean", biases.get().mean());
      members.put("biases", biases(biases.get()));
    }
    return members;
  }

  /** Of all cells. */
  private double squares() {
    List<double[][]> grams = model.grams();
    double[][] weights = model.value().slices(0, model.value(), grams);
    double sum = 0;
    for (int r = 0; r < weights.length; r++) {
      for (int s = 0; s < weights.length; s++) {
        sum += weights[r][s] * grams.get(0)[r][s];
      }
    }
    return Math.max(0, sum);
  }

  /** By mode how far its slices' biases are from 0: the root of their mean square. */
  private List<Object> biases(Biases biases) {
    List<Object> rows = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      DenseMatrix factor = model.factors().get(mode);
      double squares = 0;
      for (long row = 0; row < factor.rows(); row++) {
        squares += Math.pow(factor.get(row, biases.column(mode)), 2);
      }
      double root = Math.sqrt(squares / Math.max(1, factor.rows()));
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("mode", folder.modeName(mode));
      members.put("size", Math.abs(biases.scales()[mode]) * root);
      rows.add(members);
    }
    return rows;
  }

  private Map<String, Object> core(TuckerValue core) {
    List<Object> columns = new ArrayList<>();
    for (int mode = 0; mode < model.order(); mode++) {
      double[] shares = CoreEntry.shares(core, mode);
      List<Integer> largest =
          IntStream.range(0, shares.length)
              .boxed()
              .sorted(Comparator.comparingDouble(column -> -shares[column]))
              .limit(count)
              .toList();
      for (int column : largest) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("mode", folder.modeName(mode));
        members.put("column", column);
        members.put("core_share", shares[column]);
        columns.add(members);
      }
    }
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("core_ranks", Arrays.stream(core.ranks()).boxed().toList());
    members.put("core_columns", columns);
    members.put(
        "core_entries", CoreEntry.largest(core, count).stream().map(CoreEntry::members).toList());
    return members;
  }
}
