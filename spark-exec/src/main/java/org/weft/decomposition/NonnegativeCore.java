package org.weft.decomposition;

import java.util.Arrays;
import java.util.Random;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;

/**
 * The core G of a nonnegative Tucker model with factors A_m, which is small and row-major. It is
 * the solution of {@code min |X - G x_0 A_0 x_1 A_1 ...|} over all {@code G >= 0}, which depends on
 * two things: {@code C = X x_0 A_0^T x_1 A_1^T ...} and the Gram matrices {@code S_m = A_m^T A_m}.
 */
final class NonnegativeCore {
  private static final int PASSES = 10;

  private final int[] sizes;
  private final double[] values;

  NonnegativeCore(int[] sizes, double[] values) {
    this.sizes = sizes.clone();
    this.values = values.clone();
  }

  /**
   * The solution that coordinate descent finds from random numbers in [0, 1) in the best unit. The
   * solution is 0 where the tensor's values are negative on the average. From a core of 0 no factor
   * moves, so then the numbers are kept, in the unit that gives the model the norm of the tensor.
   */
  static NonnegativeCore random(
      int[] sizes, long seed, double[] c, double[][] grams, double normSquared) {
    double[] drawn = new Random(seed).doubles(c.length).toArray();
    double square = new NonnegativeCore(sizes, drawn).misfit(new double[c.length], grams);
    double inner = 0;
    for (int at = 0; at < c.length; at++) {
      inner += drawn[at] * c[at];
    }
    double best = square > 0 ? Math.max(0, inner / square) : 0;
    NonnegativeCore solution = of(sizes, drawn, best).improved(c, grams);
    boolean moves = Arrays.stream(solution.values).anyMatch(number -> number > 0);
    return moves || square == 0 ? solution : of(sizes, drawn, Math.sqrt(normSquared / square));
  }

  private static NonnegativeCore of(int[] sizes, double[] numbers, double unit) {
    return new NonnegativeCore(
        sizes, Arrays.stream(numbers).map(number -> number * unit).toArray());
  }

  double[] values() {
    return values.clone();
  }

  /** {@code G_(n)}: R_n x the product of the others, of which the last mode is the fastest. */
  DMatrixRMaj unfolded(int mode) {
    return unfolded(values, mode);
  }

  /**
   * {@code G_(n)^T} with its columns divided by numbers; zeros where such a number is not above 0.
   */
  DMatrixRMaj divided(int mode, double[] by) {
    DMatrixRMaj columns = unfolded(mode);
    double[] numbers = Arrays.stream(by).map(n -> n > 0 ? n : Double.POSITIVE_INFINITY).toArray();
    CommonOps_DDRM.divideRows(numbers, columns);
    return CommonOps_DDRM.transpose(columns, null);
  }

  /** {@code G_(n) (S_N (x) ...) G_(n)^T} over all modes but n: R_n x R_n. */
  DMatrixRMaj normal(int mode, double[][] grams) {
    double[] product = values;
    for (int m = 0; m < sizes.length; m++) {
      product = m == mode ? product : times(product, m, grams[m]);
    }
    DMatrixRMaj normal = new DMatrixRMaj(sizes[mode], sizes[mode]);
    CommonOps_DDRM.multTransB(unfolded(product, mode), unfolded(mode), normal);
    return normal;
  }

  /** A core whose columns of a mode are multiplied by numbers. */
  NonnegativeCore scaled(int mode, double[] by) {
    int stride = stride(mode);
    double[] scaled = new double[values.length];
    Arrays.setAll(scaled, at -> values[at] * by[at / stride % sizes[mode]]);
    return new NonnegativeCore(sizes, scaled);
  }

  /** Row-major numbers of an unfolding by a mode. */
  static double[] folded(int[] sizes, DMatrixRMaj unfolded, int mode) {
    NonnegativeCore shape = new NonnegativeCore(sizes, new double[unfolded.getNumElements()]);
    int stride = shape.stride(mode);
    Arrays.setAll(
        shape.values,
        at -> unfolded.get(at / stride % sizes[mode], shape.column(at, mode, stride)));
    return shape.values;
  }

  private DMatrixRMaj unfolded(double[] tensor, int mode) {
    int stride = stride(mode);
    DMatrixRMaj matrix = new DMatrixRMaj(sizes[mode], tensor.length / sizes[mode]);
    for (int at = 0; at < tensor.length; at++) {
      matrix.set(at / stride % sizes[mode], column(at, mode, stride), tensor[at]);
    }
    return matrix;
  }

  private int column(int at, int mode, int stride) {
    return at / (stride * sizes[mode]) * stride + at % stride;
  }

  private int stride(int mode) {
    int stride = 1;
    for (int m = mode + 1; m < sizes.length; m++) {
      stride *= sizes[m];
    }
    return stride;
  }

  /** The product of a mode with a symmetric matrix. */
  private double[] times(double[] tensor, int mode, double[] gram) {
    int size = sizes[mode];
    int stride = stride(mode);
    double[] product = new double[tensor.length];
    for (int at = 0; at < tensor.length; at++) {
      int r = at / stride % size;
      for (int s = 0; s < size; s++) {
        product[at + (s - r) * stride] += gram[r * size + s] * tensor[at];
      }
    }
    return product;
  }

  /** {@code |model|^2 - 2 <X, model>}. */
  double misfit(double[] c, double[][] grams) {
    double[] gradient = gradient(c, grams);
    double sum = 0;
    for (int at = 0; at < values.length; at++) {
      sum += values[at] * (gradient[at] - c[at]);
    }
    return sum;
  }

  /** Half the gradient: {@code G x_0 S_0 x_1 S_1 ... - C}. */
  private double[] gradient(double[] c, double[][] grams) {
    double[] gradient = values;
    for (int m = 0; m < sizes.length; m++) {
      gradient = times(gradient, m, grams[m]);
    }
    double[] product = gradient;
    double[] difference = new double[c.length];
    Arrays.setAll(difference, at -> product[at] - c[at]);
    return difference;
  }

  /**
   * A better core, by passes of coordinate descent: each number in turn becomes the exact minimiser
   * while the others are fixed. The numbers of a fiber along the last mode are changed before the
   * gradient is, so that a pass costs {@code O(T T / R)} for T numbers in fibers of R.
   */
  NonnegativeCore improved(double[] c, double[][] grams) {
    int last = sizes.length - 1;
    int length = sizes[last];
    double[] core = values.clone();
    double[] gradient = gradient(c, grams);
    for (int pass = 0; pass < PASSES; pass++) {
      for (int fiber = 0; fiber < core.length / length; fiber++) {
        double[] weights = column(fiber, grams);
        double[] moved = descend(core, gradient, fiber * length, weights[fiber], grams[last]);
        for (int at = 0; moved.length > 0 && at < core.length; at++) {
          gradient[at] += weights[at / length] * moved[at % length];
        }
      }
    }
    return new NonnegativeCore(sizes, core);
  }

  /** Changes a fiber; returns what that adds to the gradient of a fiber of weight 1. */
  private static double[] descend(
      double[] core, double[] gradient, int from, double weight, double[] gram) {
    int length = (int) Math.sqrt(gram.length);
    double[] moved = new double[length];
    boolean any = false;
    for (int r = 0; r < length; r++) {
      double curvature = weight * gram[r * length + r];
      double slope = gradient[from + r] + weight * moved[r];
      double next = curvature > 0 ? Math.max(0, core[from + r] - slope / curvature) : 0;
      double change = next - core[from + r];
      core[from + r] = next;
      any |= change != 0;
      for (int s = 0; s < length && change != 0; s++) {
        moved[s] += gram[r * length + s] * change;
      }
    }
    return any ? moved : new double[0];
  }

  /** A column of the Kronecker product of the Gram matrices of all modes but the last. */
  private double[] column(int fiber, double[][] grams) {
    double[] column = {1};
    int stride = values.length / sizes[sizes.length - 1];
    for (int m = 0; m < sizes.length - 1; m++) {
      stride /= sizes[m];
      int at = fiber / stride % sizes[m];
      double[] longer = new double[column.length * sizes[m]];
      for (int i = 0; i < longer.length; i++) {
        longer[i] = column[i / sizes[m]] * grams[m][i % sizes[m] * sizes[m] + at];
      }
      column = longer;
    }
    return column;
  }
}
