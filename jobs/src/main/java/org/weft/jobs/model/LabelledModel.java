package org.weft.jobs.model;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.spark.model.FactorModel;
import org.weft.spark.model.ModelValue;
import org.weft.storage.Labels;
import org.weft.storage.model.ModelFolder;
import org.weft.tensor.DenseMatrix;

/**
 * A model in memory, whose rows have labels.
 *
 * @param labels by mode; a mode without labels has none, and its rows are named by number, from 1
 * @param biases of a completion
 */
public record LabelledModel(FactorModel model, List<Labels> labels, Optional<Biases> biases) {
  /** The model in a folder. */
  public static LabelledModel read(ModelFolder folder) throws IOException {
    List<Labels> labels = new ArrayList<>();
    for (int mode = 0; mode < folder.order(); mode++) {
      labels.add(folder.labels(mode).orElse(Labels.of(List.of())));
    }
    return new LabelledModel(FactorModel.read(folder), labels, Biases.of(folder));
  }

  /** A model without labels and biases. */
  public static LabelledModel of(FactorModel model) {
    return new LabelledModel(
        model,
        model.factors().stream().map(factor -> Labels.of(List.of())).toList(),
        Optional.empty());
  }

  public int order() {
    return model.order();
  }

  public ModelValue value() {
    return model.value();
  }

  /** The factor of a mode: mode size x columns. */
  DenseMatrix factor(int mode) {
    return model.factors().get(mode);
  }

  /** Number of components: of all terms but those of biases. */
  int components() {
    return biases.map(Biases::components).orElse(value().terms());
  }

  /** The bias of a row; 0 in a model without biases. */
  double bias(int mode, long row) {
    return biases
        .map(own -> own.scales()[mode] * factor(mode).get(row, own.column(mode)))
        .orElse(0.0);
  }
}
