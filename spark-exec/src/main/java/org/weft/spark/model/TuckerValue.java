package org.weft.spark.model;

import java.util.List;

/**
 * {@code sum G(r_0, r_1, ..) prod_n rows[n][r_n]}. Cost: {@code O(prod R_n)}.
 *
 * @param ranks R_n by mode
 * @param core G, row-major
 */
@SuppressWarnings("ArrayRecordComponent")
public record TuckerValue(int[] ranks, double[] core) implements ModelValue {
  @Override
  public double at(double[][] rows) {
    return query(-1, rows)[0];
  }

  /** The core, with one mode after another summed away. */
  @Override
  public double[] query(int mode, double[][] rows) {
    double[] left = core;
    int kept = 1;
    for (int n = 0; n < ranks.length; n++) {
      if (n == mode) {
        kept = ranks[n];
      } else {
        left = summed(left, kept, rows[n]);
      }
    }
    return left;
  }

  /** {@code kept x R_n x rest} to {@code kept x rest}. */
  private static double[] summed(double[] from, int kept, double[] row) {
    int rest = from.length / (kept * row.length);
    double[] to = new double[kept * rest];
    for (int k = 0; k < kept; k++) {
      for (int r = 0; r < row.length; r++) {
        int start = (k * row.length + r) * rest;
        for (int at = 0; at < rest; at++) {
          to[k * rest + at] += row[r] * from[start + at];
        }
      }
    }
    return to;
  }

  @Override
  public int terms() {
    return core.length;
  }

  @Override
  public double weight(int term) {
    return core[term];
  }

  @Override
  public int column(int term, int mode) {
    return term / stride(mode) % ranks[mode];
  }

  @Override
  public int columns(int mode) {
    return ranks[mode];
  }

  /** Entries of the core from one column of a mode to the next. */
  private int stride(int mode) {
    int stride = 1;
    for (int n = mode + 1; n < ranks.length; n++) {
      stride *= ranks[n];
    }
    return stride;
  }

  /** The core of the other model, with every other mode multiplied by its product. */
  @Override
  public double[][] slices(int mode, ModelValue other, List<double[][]> products) {
    TuckerValue turned = (TuckerValue) other;
    for (int n = 0; n < ranks.length; n++) {
      turned = n == mode ? turned : turned.times(n, products.get(n));
    }
    double[][] slices = new double[ranks[mode]][turned.ranks[mode]];
    int stride = stride(mode);
    int columns = turned.ranks[mode];
    for (int term = 0; term < core.length; term++) {
      int first = (term / (stride * ranks[mode]) * columns) * stride + term % stride;
      for (int s = 0; s < columns; s++) {
        slices[column(term, mode)][s] += core[term] * turned.core[first + s * stride];
      }
    }
    return slices;
  }

  /** This core with a mode multiplied by a matrix, whose columns are those of the mode. */
  private TuckerValue times(int mode, double[][] matrix) {
    int[] shape = ranks.clone();
    shape[mode] = matrix.length;
    int stride = stride(mode);
    double[] product = new double[core.length / ranks[mode] * matrix.length];
    for (int term = 0; term < core.length; term++) {
      int first = (term / (stride * ranks[mode]) * matrix.length) * stride + term % stride;
      for (int r = 0; r < matrix.length; r++) {
        product[first + r * stride] += matrix[r][column(term, mode)] * core[term];
      }
    }
    return new TuckerValue(shape, product);
  }
}
