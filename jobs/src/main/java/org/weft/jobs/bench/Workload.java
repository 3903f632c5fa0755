package org.weft.jobs.bench;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.weft.tensor.TensorStorage;

/**
 * One kernel on one tensor with a number of threads, compiled and bound.
 *
 * @param kernel as in {@link BenchKernel#label}
 * @param parameters mode and rank, for people; empty if there are none
 * @param mode of the tensor; 0 where the kernel has none
 * @param call runs it
 */
public record Workload(
    String kernel, String parameters, int mode, int threads, Work work, Call call) {

  /** One run. */
  public interface Call {
    /**
     * Runs the kernel, and hands its result on before it is freed or overwritten.
     *
     * @return seconds of the kernel alone
     */
    double run(Consumer<TensorStorage> result);
  }

  /** Seconds in which a result is made, which is handed on and then closed. */
  static double seconds(Supplier<TensorStorage> made, Consumer<TensorStorage> use) {
    long start = System.nanoTime();
    TensorStorage result = made.get();
    double seconds = (System.nanoTime() - start) * 1e-9;
    try {
      use.accept(result);
    } finally {
      result.close();
    }
    return seconds;
  }

  /** Seconds of one run. */
  double seconds() {
    return call.run(result -> {});
  }
}
