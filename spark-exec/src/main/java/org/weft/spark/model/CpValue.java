package org.weft.spark.model;

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
}
