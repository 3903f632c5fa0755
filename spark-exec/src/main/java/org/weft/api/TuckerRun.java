package org.weft.api;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.decomposition.Ranks;
import org.weft.decomposition.Tucker;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/**
 * A Tucker decomposition to be run, by higher-order orthogonal iteration (Kolda and Bader 2009,
 * figure 4.4). It runs where the tensor is: in this process, or on the executors of the Spark
 * session. Factors come to this process: mode sizes x R_n doubles.
 */
public final class TuckerRun {
  private static final int ITERATIONS = 50;
  private static final double TOLERANCE = 1e-5;

  private final Tensor tensor;
  private final int[] ranks;
  private int iterations = ITERATIONS;
  private double tolerance = TOLERANCE;
  private long seed = 1;
  private final Running running;

  TuckerRun(Tensor tensor, int[] ranks) {
    this.tensor = tensor;
    this.ranks = ranks.clone();
    this.running = new Running(tensor.weft());
  }

  /** Most iterations; 50 if this is not called. */
  public TuckerRun iterations(int most) {
    this.iterations = most;
    return this;
  }

  /** Stop when the fit changes by less; 1e-5 if this is not called. 0 runs every iteration. */
  public TuckerRun tolerance(double change) {
    this.tolerance = change;
    return this;
  }

  /** Seed of the initial factors; 1 if this is not called. */
  public TuckerRun seed(long number) {
    this.seed = number;
    return this;
  }

  /** Hears of iterations, on the thread that runs them; an exception from it ends the run. */
  public TuckerRun onIteration(CpdRun.Progress listener) {
    running.onIteration(listener);
    return this;
  }

  /** Ends the run; see {@link CpdRun#cancel}. */
  public void cancel() {
    running.cancel();
  }

  /**
   * Decomposes.
   *
   * @throws org.weft.error.WeftException {@code USAGE} for ranks, tolerance or a number of
   *     iterations out of range, {@code OUT_OF_MEMORY}, {@code INTERRUPTED}
   */
  public TuckerModel run() {
    List<Integer> columns = Arrays.stream(ranks).boxed().toList();
    Tucker method = new Tucker(new Ranks(columns), iterations, tolerance, seed, ValueType.DOUBLE);
    return running.run(
        progress -> {
          List<DenseMatrix> factors = new ArrayList<>();
          Tucker.Model model =
              tensor
                  .weft()
                  .engine()
                  .run(
                      tensor.packable(),
                      method,
                      progress,
                      (found, site) -> {
                        factors.clear();
                        found.factors().forEach(factor -> factors.add(site.result(factor)));
                      })
                  .model();
          return new TuckerModel(
              tensor.weft(), tensor.modes(), tensor.loaded().labels(), factors, model);
        });
  }
}
