package org.weft.spark.model;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.weft.storage.model.ModelFolder;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;

/**
 * A model in this process.
 *
 * @param factors of each mode: mode size x columns
 * @param value what the model computes of their rows
 */
public record FactorModel(List<DenseMatrix> factors, ModelValue value) {
  public FactorModel {
    factors = List.copyOf(factors);
  }

  /**
   * The model in a folder.
   *
   * @throws org.weft.error.WeftException {@code INPUT_NOT_FOUND}, {@code SHAPE_MISMATCH}
   */
  public static FactorModel read(ModelFolder folder) throws IOException {
    ModelValue value = ModelValue.read(folder);
    return new FactorModel(
        IntStream.range(0, folder.order())
            .mapToObj(mode -> folder.factor(mode, value.columns(mode)))
            .toList(),
        value);
  }

  public int order() {
    return factors.size();
  }

  public TensorShape shape() {
    return TensorShape.of(factors.stream().mapToLong(DenseMatrix::rows).toArray());
  }

  /** The rows of the factors at a coordinate of each mode. */
  public double[][] rows(long... at) {
    double[][] rows = new double[at.length][];
    for (int mode = 0; mode < rows.length; mode++) {
      rows[mode] = new double[value.columns(mode)];
      factors.get(mode).copyRow(at[mode], rows[mode], 0);
    }
    return rows;
  }

  /** The model's value at a coordinate of each mode. */
  public double at(long... at) {
    return value.at(rows(at));
  }

  /** {@code A' A} of each factor: columns x columns. Cost: {@code O(I R^2)} a mode. */
  public List<double[][]> grams() {
    return factors.stream().map(FactorModel::gram).toList();
  }

  private static double[][] gram(DenseMatrix factor) {
    double[][] gram = new double[factor.columns()][factor.columns()];
    double[] row = new double[factor.columns()];
    for (long i = 0; i < factor.rows(); i++) {
      factor.copyRow(i, row, 0);
      for (int r = 0; r < row.length; r++) {
        for (int s = 0; s < row.length; s++) {
          gram[r][s] += row[r] * row[s];
        }
      }
    }
    return gram;
  }
}
