package org.weft.planner;

import java.util.function.DoubleSupplier;

/**
 * Times two loops on the calling thread: a sum over memory that no cache holds, and multiply-adds
 * on a block that the first-level cache holds. Best of several rounds, the first rounds warm the
 * just-in-time compiler.
 */
final class Measurement {
  private static final int STREAM_VALUES = 1 << 23; // 64 MiB
  private static final int BLOCK_VALUES = 1 << 10; // 8 KiB
  private static final int BLOCK_SWEEPS = 4000;
  private static final int ROUNDS = 6;

  private Measurement() {}

  static double streamBytesPerSecond() {
    double[] values = new double[STREAM_VALUES];
    return 8.0 * STREAM_VALUES / bestSeconds(() -> copyHalf(values)); // read one half, write other
  }

  static double flopsPerSecond() {
    double[] x = new double[BLOCK_VALUES];
    double[] y = new double[BLOCK_VALUES];
    return 2.0 * BLOCK_VALUES * BLOCK_SWEEPS / bestSeconds(() -> multiplyAdd(x, y));
  }

  private static double copyHalf(double[] values) {
    System.arraycopy(values, 0, values, STREAM_VALUES / 2, STREAM_VALUES / 2);
    return values[STREAM_VALUES - 1];
  }

  private static double multiplyAdd(double[] x, double[] y) {
    for (int sweep = 0; sweep < BLOCK_SWEEPS; sweep++) {
      double a = sweep;
      for (int i = 0; i < BLOCK_VALUES; i++) {
        y[i] = a * x[i] + y[i];
      }
    }
    return y[0];
  }

  private static double bestSeconds(DoubleSupplier loop) {
    double best = Double.POSITIVE_INFINITY;
    double sink = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      sink += loop.getAsDouble();
      best = Math.min(best, (System.nanoTime() - start) * 1e-9);
    }
    if (Double.isNaN(sink)) {
      throw new AssertionError("loops over zeros gave NaN");
    }
    return best;
  }
}
