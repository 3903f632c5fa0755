package org.weft.jobs.generate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage.EntryVisitor;

/**
 * A tensor of known CP factors plus noise: {@code T(i,j,k) = sum_r lambda(r) A(i,r) B(j,r) C(k,r)
 * (1 + noise * g)} with g standard normal, so that the noise has {@code noise} times the Frobenius
 * norm of the tensor, in expectation.
 *
 * <p>Factor entries are standard normal on a random subset of the rows, the same share of every
 * mode and component, and 0 elsewhere; columns have norm 1 and lambda descends, as {@code weft cpd}
 * writes them. With share 1 the tensor is full. Otherwise its entries are the union of the
 * components' blocks, at most {@code nonzeros} of the model up to rounding, and exactly low-rank
 * before noise. Memory is that of the factors.
 */
public final class PlantedTensor {
  private final TensorShape shape;
  private final int rank;
  private final double noise;
  private final List<DenseMatrix> factors = new ArrayList<>();
  private final double[] lambda;
  private final RandomGenerator random;

  /** Draws the factors. Cost {@code O(sum of mode sizes * rank)}. */
  public PlantedTensor(SyntheticModel model, int rank, double noise, long seed) {
    this.shape = model.sizes();
    this.rank = rank;
    this.noise = noise;
    this.random = SkewedTensor.random(seed);
    this.lambda = new double[rank];
    double density = model.nonzeros() / shape.cells();
    double share = density >= 1 ? 1 : Math.pow(density / rank, 1.0 / shape.order());
    List<double[][]> columns = new ArrayList<>();
    for (int r = 0; r < rank; r++) {
      columns.add(component(share, r == 0));
      lambda[r] = normalise(columns.get(r));
    }
    Integer[] order = new Integer[rank];
    Arrays.setAll(order, r -> r);
    Arrays.sort(order, Comparator.comparingDouble(r -> -lambda[r]));
    double[] unsorted = lambda.clone();
    for (int m = 0; m < shape.order(); m++) {
      factors.add(DenseMatrix.zeros(shape.size(m), rank));
    }
    for (int r = 0; r < rank; r++) {
      lambda[r] = unsorted[order[r]];
      for (int m = 0; m < shape.order(); m++) {
        double[] column = columns.get(order[r])[m];
        for (int i = 0; i < column.length; i++) {
          factors.get(m).set(i, r, column[i]);
        }
      }
    }
  }

  /** One column per mode. The first component reaches the last row of every mode. */
  private double[][] component(double share, boolean reachesCorner) {
    double[][] columns = new double[shape.order()][];
    for (int m = 0; m < columns.length; m++) {
      int size = Math.toIntExact(shape.size(m));
      double[] column = new double[size];
      int wanted = (int) Math.max(1, Math.min(size, Math.round(size * share)));
      for (int i = size - 1; i >= 0 && wanted > 0; i--) { // selection sampling (Knuth 3.4.2 S)
        boolean take = (reachesCorner && i == size - 1) || random.nextDouble() * (i + 1) < wanted;
        if (take) {
          column[i] = nonzeroGaussian();
          wanted--;
        }
      }
      columns[m] = column;
    }
    return columns;
  }

  private double nonzeroGaussian() {
    double g = 0;
    while (g == 0) {
      g = random.nextGaussian();
    }
    return g;
  }

  private static double normalise(double[][] columns) {
    double product = 1;
    for (double[] column : columns) {
      double norm = Math.sqrt(Arrays.stream(column).map(v -> v * v).sum());
      product *= norm;
      for (int i = 0; i < column.length; i++) {
        column[i] /= norm;
      }
    }
    return product;
  }

  /** One matrix per mode, mode size x rank, columns of norm 1. */
  public List<DenseMatrix> factors() {
    return List.copyOf(factors);
  }

  /** Component weights, descending. */
  public double[] lambda() {
    return lambda.clone();
  }

  /** Passes every entry to {@code sink}, sorted; the coordinate array is reused. */
  public void generate(EntryVisitor sink) {
    int[] all = new int[rank];
    Arrays.setAll(all, r -> r);
    descend(0, new long[shape.order()], all, lambda.clone(), sink);
  }

  /** Visits the entries below the coordinates of the modes before {@code mode}. */
  private void descend(int mode, long[] at, int[] active, double[] weights, EntryVisitor sink) {
    if (mode == shape.order()) {
      double value = Arrays.stream(weights).sum();
      sink.visit(at, noise == 0 ? value : value * (1 + noise * random.nextGaussian()));
      return;
    }
    DenseMatrix factor = factors.get(mode);
    int[] next = new int[active.length];
    double[] scaled = new double[active.length];
    for (long i = 0; i < factor.rows(); i++) {
      int count = 0;
      for (int a = 0; a < active.length; a++) {
        double value = factor.get(i, active[a]);
        if (value != 0) {
          next[count] = active[a];
          scaled[count++] = weights[a] * value;
        }
      }
      if (count > 0) {
        at[mode] = i;
        descend(mode + 1, at, Arrays.copyOf(next, count), Arrays.copyOf(scaled, count), sink);
      }
    }
  }
}
