package org.weft.jobs.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.spark.model.FactorModel;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;

/**
 * Where a model differs from its tensor: value minus model, over all stored entries in one pass.
 * Cells that are not stored are zeros, or unknown as those of a completion. Entries are taken as of
 * distinct coordinates. Cost: {@code O(nnz)} values of the model.
 */
public final class Residuals {
  private static final int BINS = 41;
  private static final int SAMPLE = 1 << 20;
  private static final int WORST = 10;
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private final FactorModel model;
  private final List<DenseMatrix> factors;
  private final double[][] squares;
  private final double[][] crosses;
  private final double[][] storedErrors;
  private final boolean onlyKnown;
  private final PriorityQueue<Entry> worst =
      new PriorityQueue<>(Comparator.comparingDouble(e -> Math.abs(e.value() - e.model())));
  private final List<Double> sample = new ArrayList<>();
  private long entries;
  private double stored;

  /**
   * Of the entries of a model's tensor.
   *
   * @param onlyKnown whether cells that are not stored are unknown, and have no error
   */
  public Residuals(FactorModel model, boolean onlyKnown) {
    this.model = model;
    this.factors = model.factors();
    this.onlyKnown = onlyKnown;
    this.squares = perSlice();
    this.crosses = perSlice();
    this.storedErrors = perSlice();
  }

  private double[][] perSlice() {
    return factors.stream()
        .map(f -> new double[Math.toIntExact(f.rows())])
        .toArray(double[][]::new);
  }

  /** An entry and what the model has for it. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Entry(long[] at, double value, double model) {}

  /**
   * A slice.
   *
   * @param share of the squared error of the whole tensor
   * @param leverage of its row in its factor: 0 to 1, high for one that a component is made for
   */
  public record Slice(long coordinate, double share, double leverage) {}

  /**
   * Bins of equal width.
   *
   * @param low where the first begins
   */
  public record Histogram(double low, double high, List<Long> counts) {}

  /**
   * What was found.
   *
   * @param storedShare of the squared error that lies at stored entries; the rest lies at zeros
   * @param slices by mode, the largest shares first
   * @param histogram of residuals at stored entries, or of a million of them
   * @param worst entries, the largest residual first
   */
  public record Found(
      long entries,
      double relativeError,
      double storedShare,
      List<List<Slice>> slices,
      Histogram histogram,
      List<Entry> worst) {}

  /** Takes entries into account. */
  public void add(CooBlock block) {
    long[] at = new long[factors.size()];
    for (int e = 0; e < block.size(); e++) {
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = block.coordinate(mode, e);
      }
      add(block, e, model.at(at));
    }
  }

  private void add(CooBlock block, int e, double model) {
    double value = block.value(e);
    double residual = value - model;
    long[] at = new long[factors.size()];
    for (int mode = 0; mode < at.length; mode++) {
      at[mode] = block.coordinate(mode, e);
      squares[mode][(int) at[mode]] += value * value;
      crosses[mode][(int) at[mode]] += value * model;
      storedErrors[mode][(int) at[mode]] += residual * residual;
    }
    stored += residual * residual;
    worst.add(new Entry(at, value, model));
    if (worst.size() > WORST) {
      worst.poll();
    }
    if (sample.size() < SAMPLE) {
      sample.add(residual);
    } else {
      long slot = Math.floorMod(entries * MIX, entries + 1);
      if (slot < SAMPLE) {
        sample.set((int) slot, residual);
      }
    }
    entries++;
  }

  /**
   * The figures of all entries so far.
   *
   * @param count slices of each mode
   */
  public Found found(int count) {
    List<double[][]> grams = model.grams();
    List<double[]> errors = new ArrayList<>();
    for (int mode = 0; mode < factors.size(); mode++) {
      errors.add(onlyKnown ? storedErrors[mode] : errors(mode, grams));
    }
    double norm = sum(squares[0]);
    double error = Math.max(0, sum(errors.get(0)));
    List<List<Slice>> slices = new ArrayList<>();
    for (int mode = 0; mode < factors.size(); mode++) {
      slices.add(slices(mode, errors.get(mode), error, grams.get(mode), count));
    }
    List<Entry> largest = new ArrayList<>(worst);
    largest.sort(Comparator.comparingDouble(e -> -Math.abs(e.value() - e.model())));
    return new Found(
        entries,
        norm == 0 ? 0 : Math.sqrt(error / norm),
        error == 0 ? 0 : Math.min(1, stored / error),
        slices,
        histogram(),
        largest);
  }

  private static double sum(double[] all) {
    double sum = 0;
    for (double one : all) {
      sum += one;
    }
    return sum;
  }

  /** Squared error of each slice: |T_i|^2 - 2 (T_i, M_i) + |M_i|^2. */
  private double[] errors(int mode, List<double[][]> grams) {
    DMatrixRMaj weights = new DMatrixRMaj(model.value().slices(mode, model.value(), grams));
    double[] errors = new double[squares[mode].length];
    double[] row = new double[factors.get(mode).columns()];
    for (int i = 0; i < errors.length; i++) {
      factors.get(mode).copyRow(i, row, 0);
      errors[i] = Math.max(0, squares[mode][i] - 2 * crosses[mode][i] + form(weights, row));
    }
    return errors;
  }

  private static double form(DMatrixRMaj matrix, double[] row) {
    double sum = 0;
    for (int r = 0; r < row.length; r++) {
      for (int s = 0; s < row.length; s++) {
        sum += row[r] * row[s] * matrix.get(r, s);
      }
    }
    return sum;
  }

  private List<Slice> slices(int mode, double[] errors, double all, double[][] gram, int count) {
    DMatrixRMaj inverse = new DMatrixRMaj(gram.length, gram.length);
    CommonOps_DDRM.pinv(new DMatrixRMaj(gram), inverse);
    double[] row = new double[gram.length];
    return IntStream.range(0, errors.length)
        .boxed()
        .sorted(Comparator.comparingDouble((Integer i) -> -errors[i]))
        .limit(count)
        .filter(i -> errors[i] > 0)
        .map(
            i -> {
              factors.get(mode).copyRow(i, row, 0);
              double leverage = Math.min(1, Math.max(0, form(inverse, row)));
              return new Slice(i, all == 0 ? 0 : errors[i] / all, leverage);
            })
        .toList();
  }

  private Histogram histogram() {
    double most = sample.stream().mapToDouble(Math::abs).max().orElse(0);
    long[] counts = new long[BINS];
    for (double residual : sample) {
      int bin = most == 0 ? BINS / 2 : (int) ((residual + most) / (2 * most) * BINS);
      counts[Math.min(BINS - 1, bin)]++;
    }
    return new Histogram(-most, most, Arrays.stream(counts).boxed().toList());
  }
}
