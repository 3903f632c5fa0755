package org.weft.jobs.model;

import java.io.IOException;
import java.util.Optional;
import org.weft.storage.model.ModelFolder;

/**
 * The biases of a completion: what each slice of a mode adds to all of its cells, and the mean. The
 * folder keeps them as columns after those of the components. A mode has one column in which the
 * factors of all other modes are constant; the last column is constant in every factor.
 *
 * @param components number of components, which are the columns before
 * @param mean that all cells have
 * @param scales by mode, what a weight of the mode's column is multiplied by
 */
@SuppressWarnings("ArrayRecordComponent")
public record Biases(int components, double mean, double[] scales) {
  /** The biases of a model; empty if it has none. Reads one row of each factor. */
  public static Optional<Biases> of(ModelFolder model) throws IOException {
    if (!model.isCompletion() || !model.summary().path("biases").asBoolean()) {
      return Optional.empty();
    }
    double[] lambda = model.lambda();
    int components = model.summary().path("components").asInt();
    int order = model.order();
    double[] scales = new double[order + 1];
    System.arraycopy(lambda, components, scales, 0, scales.length);
    for (int mode = 0; mode < order; mode++) {
      double[] row = new double[lambda.length];
      model.rows(mode, lambda.length).read(0, 1).copyRow(0, row, 0);
      for (int column = 0; column < scales.length; column++) {
        scales[column] *= column == mode ? 1 : row[components + column];
      }
    }
    return Optional.of(
        new Biases(components, scales[order], java.util.Arrays.copyOf(scales, order)));
  }

  /** The column of the biases of a mode, in the factor of that mode. */
  public int column(int mode) {
    return components + mode;
  }
}
