package org.weft.api;

import java.util.HashMap;
import java.util.Map;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.ValueType;

/**
 * A CP decomposition to be run: alternating least squares, HALS where all factors are to be
 * nonnegative (Kolda and Bader 2009, section 3.4), AO-ADMM for modes with a {@link Constraint}.
 * Cost of an iteration: {@code O(order nnz R)}.
 */
public final class CpdRun {
  private static final int ITERATIONS = 50;
  private static final double TOLERANCE = 1e-5;

  private final Tensor tensor;
  private final int rank;
  private int iterations = ITERATIONS;
  private double tolerance = TOLERANCE;
  private boolean nonnegative;
  private final Map<Integer, org.weft.decomposition.constraint.Constraint> constraints =
      new HashMap<>();
  private double ridge;
  private long seed = 1;
  private final Running running;

  CpdRun(Tensor tensor, int rank) {
    this.tensor = tensor;
    this.rank = rank;
    this.running = new Running(tensor.weft());
  }

  /** Most iterations; 50 if this is not called. */
  public CpdRun iterations(int most) {
    this.iterations = most;
    return this;
  }

  /** Stop when the fit changes by less; 1e-5 if this is not called. 0 runs every iteration. */
  public CpdRun tolerance(double change) {
    this.tolerance = change;
    return this;
  }

  /** Keep all factors nonnegative. */
  public CpdRun nonnegative() {
    this.nonnegative = true;
    return this;
  }

  /**
   * Constrains the factor of a mode; other modes stay free. Not together with {@link #nonnegative},
   * which is of all modes.
   *
   * @param mode counted from 0
   */
  public CpdRun constrain(int mode, Constraint constraint) {
    constraints.put(mode, constraint.rule());
    return this;
  }

  /**
   * As above.
   *
   * @param mode one of {@link Tensor#modes}
   * @throws org.weft.error.WeftException {@code USAGE} for a name that no mode has
   */
  public CpdRun constrain(String mode, Constraint constraint) {
    int number = tensor.modes().indexOf(mode);
    if (number < 0) {
      throw new WeftException(
          ErrorCode.USAGE, "expected a mode of " + tensor.modes() + ", found '" + mode + "'");
    }
    return constrain(number, constraint);
  }

  /** Weight of small factors, relative to the diagonal of each least-squares problem; else 0. */
  public CpdRun ridge(double weight) {
    this.ridge = weight;
    return this;
  }

  /** Seed of the initial factors; 1 if this is not called. */
  public CpdRun seed(long number) {
    this.seed = number;
    return this;
  }

  /** Hears of iterations, on the thread that runs them; an exception from it ends the run. */
  public CpdRun onIteration(Progress listener) {
    running.onIteration(listener);
    return this;
  }

  /** Hears of steps before they begin, on the thread that runs them. */
  public CpdRun onStep(Steps listener) {
    running.onStep(listener);
    return this;
  }

  /** Hears of steps. */
  @FunctionalInterface
  public interface Steps {
    /** A step begins, such as packing. */
    void step(String description);
  }

  /**
   * Ends the run, which then throws {@code INTERRUPTED}; for another thread. Jobs of Spark end at
   * once, work of this process at the end of the step or iteration. Other runs of the session go
   * on. A run that has not begun ends when it does.
   */
  public void cancel() {
    running.cancel();
  }

  /** Hears of iterations. */
  @FunctionalInterface
  public interface Progress {
    /**
     * An iteration is over.
     *
     * @param iteration from 1
     * @param fit {@code 1 - |T - model| / |T|}
     * @param seconds that it took
     */
    void iteration(int iteration, double fit, double seconds);
  }

  /**
   * Decomposes. Factors come to this process: mode sizes x R doubles.
   *
   * @throws org.weft.error.WeftException {@code USAGE} for a rank, tolerance or number of
   *     iterations out of range, {@code OUT_OF_MEMORY}, {@code INTERRUPTED} if it was cancelled
   */
  public CpModel run() {
    Cpd job =
        new Cpd(
            rank, iterations, tolerance, nonnegative, seed, ValueType.DOUBLE, constraints, ridge);
    return running.run(
        progress -> {
          CpdResult result = tensor.weft().engine().cpd(tensor.packable(), job, progress);
          return new CpModel(tensor.weft(), tensor.modes(), tensor.loaded().labels(), result);
        });
  }
}
