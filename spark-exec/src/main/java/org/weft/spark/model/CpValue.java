package org.weft.spark.model;

import java.util.List;

/**
 * {@code sum_r lambda(r) prod_n rows[n][r]}. Cost: {@code O(order R)}.
 *
 * @param lambda R of them
 */
@SuppressWarnings("ArrayRecordComponent")
public record CpValue(double[] lambda) implements ModelValue {
  @Override
  public double at(double[][] rows) {
    double sum = 0;
    for (double product : query(-1, rows)) {
      sum += product;
    }
    return sum;
  }

  @Override
  public double[] query(int mode, double[][] rows) {
    double[] products = lambda.clone();
    for (int n = 0; n < rows.length; n++) {
      if (n != mode) {
        for (int r = 0; r < products.length; r++) {
          products[r] *= rows[n][r];
        }
      }
    }
    return products;
  }

  @Override
  public int terms() {
    return lambda.length;
  }

  @Override
  public double weight(int term) {
    return lambda[term];
  }

  @Override
  public int column(int term, int mode) {
    return term;
  }

  @Override
  public int columns(int mode) {
    return lambda.length;
  }

  @Override
  public double[][] slices(int mode, ModelValue other, List<double[][]> products) {
    double[] weights = ((CpValue) other).lambda;
    double[][] slices = new double[lambda.length][weights.length];
    for (int r = 0; r < lambda.length; r++) {
      for (int s = 0; s < weights.length; s++) {
        slices[r][s] = lambda[r] * weights[s];
        for (int n = 0; n < products.size(); n++) {
          slices[r][s] *= n == mode ? 1 : products.get(n)[r][s];
        }
      }
    }
    return slices;
  }
}
