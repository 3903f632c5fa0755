package org.weft.it.differential;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A CP model: {@code sum_r lambda(r) A(i,r) B(j,r) ...}.
 *
 * @param factors {@code factors[mode][row][component]}
 */
record Model(double[][][] factors, double[] lambda) {

  static Model read(Path folder, int order) {
    double[][][] factors = new double[order][][];
    for (int mode = 0; mode < order; mode++) {
      factors[mode] = Npy.read(folder.resolve("mode" + mode + ".npy"));
    }
    double[][] column = Npy.read(folder.resolve("lambda.npy"));
    return new Model(factors, Arrays.stream(column).mapToDouble(row -> row[0]).toArray());
  }

  /** Components of norm 1 with sparse-ish independent columns, lambda 10 to 20. */
  static Model random(int order, int rows, int rank, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][][] factors = new double[order][rows][rank];
    double[] lambda = random.doubles(rank, 10, 20).toArray();
    for (double[][] factor : factors) {
      for (double[] row : factor) {
        Arrays.setAll(row, r -> random.nextDouble(-1, 1));
      }
      for (int r = 0; r < rank; r++) {
        double norm = norm(factor, r);
        for (double[] row : factor) {
          row[r] /= norm;
        }
      }
    }
    return new Model(factors, lambda);
  }

  private int rank() {
    return lambda.length;
  }

  private double at(long[][] coordinates, int entry) {
    double sum = 0;
    for (int r = 0; r < rank(); r++) {
      double product = lambda[r];
      for (int mode = 0; mode < factors.length; mode++) {
        product *= factors[mode][(int) coordinates[mode][entry]][r];
      }
      sum += product;
    }
    return sum;
  }

  /** Every cell of the model plus noise of the given share of the model's norm. */
  Entries sample(double noise, SplittableRandom random) {
    long[] sizes = Arrays.stream(factors).mapToLong(factor -> factor.length).toArray();
    int cells = Math.toIntExact(Arrays.stream(sizes).reduce(1, Math::multiplyExact));
    long[][] coordinates = new long[sizes.length][cells];
    for (int cell = 0; cell < cells; cell++) {
      long rest = cell;
      for (int mode = sizes.length - 1; mode >= 0; mode--) {
        coordinates[mode][cell] = rest % sizes[mode];
        rest /= sizes[mode];
      }
    }
    double[] values = new double[cells];
    Arrays.setAll(values, cell -> at(coordinates, cell));
    double norm = Math.sqrt(Arrays.stream(values).map(v -> v * v).sum());
    double spread = noise * norm / Math.sqrt(cells / 3.0);
    Arrays.setAll(values, cell -> values[cell] + random.nextDouble(-spread, spread));
    return new Entries(sizes, coordinates, values);
  }

  /** {@code 1 - ||T - model|| / ||T||}, with the norm of the model from its Gram matrices. */
  double fit(Entries tensor) {
    double inner = 0;
    for (int entry = 0; entry < tensor.count(); entry++) {
      inner += tensor.values()[entry] * at(tensor.coordinates(), entry);
    }
    double model = 0;
    for (int r = 0; r < rank(); r++) {
      for (int s = 0; s < rank(); s++) {
        double product = lambda[r] * lambda[s];
        for (double[][] factor : factors) {
          product *= dot(factor, r, factor, s);
        }
        model += product;
      }
    }
    double norm = NaiveEvaluator.normSquared(tensor);
    return 1 - Math.sqrt(Math.max(0, norm - 2 * inner + model)) / Math.sqrt(norm);
  }

  /** Mean over components of the product of |cosines|, best match first (Acar et al., 2011). */
  double factorMatchScore(Model other) {
    boolean[] used = new boolean[rank()];
    double total = 0;
    for (int r = 0; r < rank(); r++) {
      int component = r;
      int best =
          IntStream.range(0, rank())
              .filter(s -> !used[s])
              .boxed()
              .max((a, b) -> Double.compare(match(component, other, a), match(component, other, b)))
              .orElseThrow();
      used[best] = true;
      total += match(r, other, best);
    }
    return total / rank();
  }

  private double match(int r, Model other, int s) {
    double product = 1;
    for (int mode = 0; mode < factors.length; mode++) {
      double cosine =
          dot(factors[mode], r, other.factors[mode], s)
              / (norm(factors[mode], r) * norm(other.factors[mode], s));
      product *= Math.abs(cosine);
    }
    return product;
  }

  void checkNormalised() {
    for (double[][] factor : factors) {
      for (int r = 0; r < rank(); r++) {
        double norm = norm(factor, r);
        ResultCheck.check(
            Math.abs(norm - 1) < 1e-8 || lambda[r] == 0, "column of norm " + norm + ", not 1");
      }
    }
  }

  void checkNonnegative() {
    for (double[][] factor : factors) {
      for (double[] row : factor) {
        ResultCheck.check(Arrays.stream(row).allMatch(v -> v >= 0), "a negative weight");
      }
    }
  }

  private static double norm(double[][] factor, int r) {
    return Math.sqrt(dot(factor, r, factor, r));
  }

  private static double dot(double[][] a, int r, double[][] b, int s) {
    double sum = 0;
    for (int row = 0; row < a.length; row++) {
      sum += a[row][r] * b[row][s];
    }
    return sum;
  }
}
