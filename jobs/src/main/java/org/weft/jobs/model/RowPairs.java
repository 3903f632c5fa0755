package org.weft.jobs.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.storage.Labels;
import org.weft.tensor.DenseMatrix;

/**
 * The rows of a mode of two models. Rows meet by their labels if both models have labels, otherwise
 * by number. A row that one model lacks counts as zero there.
 *
 * @param second for each row of the first model its row in the second; -1 if there is none
 * @param met number of rows that both models have
 * @param rows of the second model
 */
@SuppressWarnings("ArrayRecordComponent")
record RowPairs(
    LabelledModel one, LabelledModel other, int mode, long[] second, long met, long rows) {
  static RowPairs of(LabelledModel one, LabelledModel other, int mode) {
    long there = other.factor(mode).rows();
    long[] pairs = new long[Math.toIntExact(one.factor(mode).rows())];
    Labels labels = one.labels().get(mode);
    Labels others = other.labels().get(mode);
    if (labels.size() == 0 || others.size() == 0) {
      Arrays.setAll(pairs, row -> row < there ? row : -1);
    } else {
      Map<String, Integer> rowOf = new HashMap<>();
      for (int row = 0; row < others.size(); row++) {
        rowOf.put(others.label(row), row);
      }
      Arrays.setAll(pairs, row -> rowOf.getOrDefault(labels.label(row), -1));
    }
    long met = Arrays.stream(pairs).filter(row -> row >= 0).count();
    return new RowPairs(one, other, mode, pairs, met, there);
  }

  /** The columns of the first factor times those of the second: {@code A' B}. */
  double[][] products() {
    DenseMatrix a = one.factor(mode);
    DenseMatrix b = other.factor(mode);
    double[][] products = new double[a.columns()][b.columns()];
    double[] left = new double[a.columns()];
    double[] right = new double[b.columns()];
    for (int row = 0; row < second.length; row++) {
      if (second[row] >= 0) {
        a.copyRow(row, left, 0);
        b.copyRow(second[row], right, 0);
        for (int r = 0; r < left.length; r++) {
          for (int s = 0; s < right.length; s++) {
            products[r][s] += left[r] * right[s];
          }
        }
      }
    }
    return products;
  }

  /** How a row of the first model changed; its row in the second is -1 if there is none. */
  @FunctionalInterface
  interface Moved {
    /** Distance, size before and size after. */
    double[] of(int row, long second);
  }

  /** The rows that moved farthest, the farthest first. */
  List<ModelComparison.Change> changes(int count, Moved moved) {
    List<ModelComparison.Change> changes = new ArrayList<>();
    Labels labels = one.labels().get(mode);
    for (int row = 0; row < second.length; row++) {
      double[] way = moved.of(row, second[row]);
      changes.add(new ModelComparison.Change(mode, labels.label(row), way[0], way[1], way[2]));
    }
    changes.sort(Comparator.comparingDouble(ModelComparison.Change::distance).reversed());
    return List.copyOf(changes.subList(0, Math.min(count, changes.size())));
  }

  /** What a comparison says of the mode. */
  ModelComparison.ModeDrift drift(double drift, List<Double> angles) {
    return new ModelComparison.ModeDrift(
        mode, Math.max(0, drift), second.length - met, rows - met, angles);
  }
}
