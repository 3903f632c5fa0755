package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;

/** A tensor made of a CP model that is known. */
final class Planted {
  /** Whether all is tried, with -Plong. */
  static final boolean LONG = Boolean.getBoolean("weft.long");

  /** Seeds that a test tries. */
  static final int SEEDS = LONG ? 20 : 1;

  /** Of which so many have to recover the model. */
  private static final int ENOUGH = LONG ? 19 : 1;

  private final double[][][] factors;
  private final Random random;
  private final double mean;
  private final double[][] biases;
  private CooBlock entries = new CooBlock.Builder(0, 0).build();

  private Planted(double[][][] factors, Random random, double mean, double[][] biases) {
    this.factors = factors;
    this.random = random;
    this.mean = mean;
    this.biases = biases;
  }

  /** Says from how many seeds models were recovered, which have to be nearly all. */
  static void requireMost(String models, int recovered) {
    System.out.printf("%s: %d of %d recovered%n", models, recovered, SEEDS);
    assertThat(recovered).as("%s, of %d", models, SEEDS).isGreaterThanOrEqualTo(ENOUGH);
  }

  static Planted normal(long seed, int rank, int... sizes) {
    Random random = new Random(seed);
    return new Planted(factors(random, rank, sizes, false), random, 0, new double[sizes.length][]);
  }

  /** Of numbers of at least 0, about a third of them 0. */
  static Planted nonnegative(long seed, int rank, int... sizes) {
    Random random = new Random(seed);
    return new Planted(factors(random, rank, sizes, true), random, 0, new double[sizes.length][]);
  }

  private static double[][][] factors(Random random, int rank, int[] sizes, boolean nonnegative) {
    return Arrays.stream(sizes)
        .mapToObj(
            size ->
                IntStream.range(0, size)
                    .mapToObj(
                        i ->
                            IntStream.range(0, rank)
                                .mapToDouble(
                                    r ->
                                        nonnegative
                                            ? Math.max(0, random.nextDouble() * 1.5 - 0.5)
                                            : random.nextGaussian())
                                .toArray())
                    .toArray(double[][]::new))
        .toArray(double[][][]::new);
  }

  /** With rows of one factor that sum to 1. */
  Planted shares(int mode) {
    for (double[] row : factors[mode]) {
      double sum = Arrays.stream(row).sum();
      Arrays.setAll(row, r -> sum > 0 ? row[r] / sum : 1.0 / row.length);
    }
    return this;
  }

  /** With slices of very different sizes: each row of a factor times a lognormal number. */
  Planted longTailed() {
    for (double[][] factor : factors) {
      for (double[] row : factor) {
        double size = Math.exp(1.5 * random.nextGaussian());
        Arrays.setAll(row, r -> size * row[r]);
      }
    }
    return this;
  }

  /** With a number added to every cell, and one for each slice. */
  Planted biased(double center, double deviation) {
    double[][] added = new double[factors.length][];
    for (int mode = 0; mode < added.length; mode++) {
      added[mode] = random.doubles(factors[mode].length, -deviation, deviation).toArray();
    }
    return new Planted(factors, random, center, added);
  }

  /** Some of the cells, with noise of a share of their deviation. */
  Planted observed(double share, double noise) {
    double scale = scale() * noise;
    CooBlock.Builder block = new CooBlock.Builder(factors.length, 16);
    forEachCell(
        at -> {
          if (random.nextDouble() < share) {
            block.add(at, cell(at) + scale * random.nextGaussian());
          }
        });
    entries = block.build();
    return this;
  }

  /** What a cell draws from its value, 0 being left out. */
  interface Draw {
    double of(double value, Random random);
  }

  /** Cells whose values are drawn. */
  Planted drawn(Draw draw) {
    CooBlock.Builder block = new CooBlock.Builder(factors.length, 16);
    forEachCell(
        at -> {
          double value = draw.of(cell(at), random);
          if (value != 0) {
            block.add(at, value);
          }
        });
    entries = block.build();
    return this;
  }

  private interface Cell {
    void at(long[] coordinates);
  }

  private void forEachCell(Cell each) {
    long[] sizes = sizes();
    long cells = Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
    for (long cell = 0; cell < cells; cell++) {
      long rest = cell;
      long[] at = new long[sizes.length];
      for (int mode = sizes.length - 1; mode >= 0; mode--) {
        at[mode] = rest % sizes[mode];
        rest /= sizes[mode];
      }
      each.at(at);
    }
  }

  private double cell(long[] at) {
    double value = mean;
    for (int r = 0; r < factors[0][0].length; r++) {
      double term = 1;
      for (int mode = 0; mode < at.length; mode++) {
        term *= factors[mode][(int) at[mode]][r];
      }
      value += term;
    }
    for (int mode = 0; mode < at.length; mode++) {
      value += biases[mode] == null ? 0 : biases[mode][(int) at[mode]];
    }
    return value;
  }

  /** The root of the mean of the cells' squares. */
  double scale() {
    double[] sums = new double[2];
    forEachCell(
        at -> {
          sums[0] += Math.pow(cell(at), 2);
          sums[1]++;
        });
    return Math.sqrt(sums[0] / sums[1]);
  }

  /** Multiplies the columns of a factor. */
  static void scale(DenseMatrix factor, double[] weights) {
    for (int chunk = 0; chunk < factor.chunkCount(); chunk++) {
      double[] numbers = factor.chunk(chunk);
      for (int at = 0; at < numbers.length; at++) {
        numbers[at] *= weights[at % weights.length];
      }
    }
  }

  CooBlock entries() {
    return entries;
  }

  long[] sizes() {
    return Arrays.stream(factors).mapToLong(factor -> factor.length).toArray();
  }

  /** The error of a model at some entries, by loops. */
  double rmse(List<DenseMatrix> model, List<CooBlock> blocks) {
    double sum = 0;
    long count = 0;
    for (CooBlock block : blocks) {
      for (int e = 0; e < block.size(); e++) {
        sum += Math.pow(block.value(e) - value(model, block, e), 2);
        count++;
      }
    }
    return Math.sqrt(sum / count);
  }

  /** The value of a model at an entry. */
  static double value(List<DenseMatrix> model, CooBlock block, int entry) {
    double value = 0;
    for (int r = 0; r < model.get(0).columns(); r++) {
      double term = 1;
      for (int mode = 0; mode < model.size(); mode++) {
        term *= model.get(mode).get(block.coordinate(mode, entry), r);
      }
      value += term;
    }
    return value;
  }

  /**
   * The least over the planted components, each with the found one that is nearest and not taken,
   * of the products of the columns' cosines.
   */
  double match(List<DenseMatrix> found) {
    int rank = factors[0][0].length;
    List<Integer> left =
        new ArrayList<>(IntStream.range(0, found.get(0).columns()).boxed().toList());
    double worst = 1;
    for (int r = 0; r < rank; r++) {
      int component = r;
      int nearest =
          left.stream()
              .max(
                  (a, b) ->
                      Double.compare(cosines(component, found, a), cosines(component, found, b)))
              .orElseThrow();
      worst = Math.min(worst, cosines(r, found, nearest));
      left.remove(Integer.valueOf(nearest));
    }
    return worst;
  }

  private double cosines(int component, List<DenseMatrix> found, int column) {
    double product = 1;
    for (int mode = 0; mode < factors.length; mode++) {
      double inner = 0;
      double ours = 0;
      double theirs = 0;
      for (int i = 0; i < factors[mode].length; i++) {
        double a = factors[mode][i][component];
        double b = found.get(mode).get(i, column);
        inner += a * b;
        ours += a * a;
        theirs += b * b;
      }
      product *= inner / Math.sqrt(ours * theirs);
    }
    return product;
  }
}
