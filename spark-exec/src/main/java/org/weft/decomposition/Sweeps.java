package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntToDoubleFunction;
import java.util.function.Supplier;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/** Counts the sweeps of a method over its modes, and ends when the fit changes no more. */
public final class Sweeps {
  /** Why a number that sums of squares have made is not finite, if no other cause is known. */
  public static final String LARGE_VALUES =
      "values of about 1e150 and more overflow; divide them all by one number, and leave out those"
          + " that are not finite";

  private static final double LEAST = 1e-146; // squares of less are too small for all their digits
  private static final double LEAST_FLOAT = 1e-15; // those of residuals are smaller
  private static final double MOST_FLOAT = 1e36;
  private static final long MOST_COLLECTED = 1L << 26;
  private static final String FITS = "fits";
  private static final String SECONDS = "seconds";

  private final int most;
  private final double tolerance;
  private final Method.Observer observer;
  private final Checkpoints checkpoints;
  private final Optional<MethodState<RowSource>> start;
  private final List<Double> fits;
  private final List<Double> seconds;

  /**
   * Goes on after the sweeps of the latest state, or begins with the first.
   *
   * @param most sweeps at most
   * @param tolerance of the fit; 0 runs every sweep
   */
  public Sweeps(int most, double tolerance, Method.Observer observer, Checkpoints checkpoints) {
    this.most = most;
    this.tolerance = tolerance;
    this.observer = observer;
    this.checkpoints = checkpoints;
    this.start = checkpoints.latest();
    this.fits = new ArrayList<>(start.map(Sweeps::fits).orElse(List.of()));
    this.seconds = new ArrayList<>(start.map(state -> state.list(SECONDS)).orElse(List.of()));
  }

  /** The fits that a state has come to; none where it is a model to start from. */
  public static List<Double> fits(MethodState<?> state) {
    return state.list(FITS);
  }

  /** The state to go on from; empty to begin from the seed. */
  public Optional<MethodState<RowSource>> start() {
    return start;
  }

  /**
   * Runs sweeps until the last, each of which gives a fit.
   *
   * @param sweep its number counts from 1
   * @param done whether the method has ended by itself
   * @param state what the next sweep depends on, beside the fits
   */
  public void run(
      Site site,
      IntToDoubleFunction sweep,
      BooleanSupplier done,
      Supplier<MethodState<Rows>> state) {
    while (!ended() && !done.getAsBoolean()) {
      run(sweep);
      boolean last = ended() || done.getAsBoolean();
      Supplier<MethodState<Rows>> whole =
          () -> state.get().numbers(FITS, fits).numbers(SECONDS, seconds);
      checkpoints.after(count(), last, site, whole);
    }
  }

  /**
   * Checks a number that sums of squares have made.
   *
   * @throws WeftException {@code NONFINITE_VALUE}
   */
  public static void requireFinite(String what, double value) {
    requireFinite(what, value, LARGE_VALUES);
  }

  private static void requireFinite(String what, double value, String why) {
    if (!Double.isFinite(value)) {
      throw new WeftException(ErrorCode.NONFINITE_VALUE, what + " is " + value + ": " + why);
    }
  }

  /**
   * The same check, whose error also names the first row that has a number that is not finite.
   *
   * @param rows in which such a number can be, by mode
   */
  public static void requireFinite(
      String what, double value, Site site, List<? extends Rows> rows) {
    requireFinite(what, value, site, rows, LARGE_VALUES);
  }

  /**
   * The same check of a number that may not be finite for another reason than large values.
   *
   * @param why cause and remedy, for people
   */
  public static void requireFinite(
      String what, double value, Site site, List<? extends Rows> rows, String why) {
    if (!Double.isFinite(value)) {
      requireFinite(what + firstNonfinite(site, rows), value, why);
    }
  }

  /** Where the first number is that is not finite, for people; empty if it is not known. */
  static String firstNonfinite(Site site, List<? extends Rows> rows) {
    return rows.stream().flatMap(matrix -> nonfinite(site, matrix).stream()).findFirst().orElse("");
  }

  private static Optional<String> nonfinite(Site site, Rows rows) {
    if (rows.count() * rows.columns() > MOST_COLLECTED) {
      return Optional.empty();
    }
    DenseMatrix matrix = site.collect(rows);
    double[] row = new double[matrix.columns()];
    for (long i = 0; i < matrix.rows(); i++) {
      matrix.copyRow(i, row, 0);
      if (!Arrays.stream(row).allMatch(Double::isFinite)) {
        return Optional.of(
            " (first in row " + i + " of mode " + rows.mode() + ", both counted from 0)");
      }
    }
    return Optional.empty();
  }

  /**
   * Checks that the squares of a tensor's values, which all methods add up, keep their digits.
   *
   * @throws WeftException {@code NONFINITE_VALUE}
   */
  public static void requireSquares(String tensor, TensorStatistics statistics) {
    double largest = Math.max(Math.abs(statistics.minValue()), Math.abs(statistics.maxValue()));
    if (statistics.entries() > 0 && largest > 0 && largest < LEAST) {
      throw new WeftException(
          ErrorCode.NONFINITE_VALUE,
          tensor
              + ": expected values whose squares are numbers, found "
              + largest
              + " as the largest: squares of values of about "
              + LEAST
              + " and less become 0; multiply all values by one number");
    }
  }

  /**
   * Checks that the squares of a tensor's values keep their digits in a type that adds them up.
   *
   * @throws WeftException {@code NONFINITE_VALUE}
   */
  public static void requireSquares(Site site, ValueType type) {
    double unit = site.unit();
    if (type == ValueType.FLOAT && !(unit > LEAST_FLOAT && site.normSquared() < MOST_FLOAT)) {
      throw new WeftException(
          ErrorCode.NONFINITE_VALUE,
          "expected values whose squares are numbers of type float, found "
              + unit
              + " as the root of their mean square: squares of less than "
              + LEAST_FLOAT
              + " lose digits, and sums of squares are less than "
              + MOST_FLOAT
              + "; give --type double, or multiply all values by one number");
    }
  }

  public int count() {
    return fits.size();
  }

  public boolean converged() {
    return count() > 1 && Math.abs(change()) < tolerance;
  }

  public boolean ended() {
    return converged() || count() >= most;
  }

  private double change() {
    return fits.get(count() - 1) - (count() > 1 ? fits.get(count() - 2) : 0);
  }

  /** Runs one that gives a fit; its number counts from 1. */
  public void run(IntToDoubleFunction sweep) {
    long start = System.nanoTime();
    fits.add(sweep.applyAsDouble(count() + 1));
    seconds.add((System.nanoTime() - start) * 1e-9);
    observer.sweep(count(), fits.get(count() - 1), change(), seconds.get(count() - 1));
  }

  /** After each sweep. */
  public List<Double> fits() {
    return List.copyOf(fits);
  }

  /** That each sweep took. */
  public List<Double> seconds() {
    return List.copyOf(seconds);
  }
}
