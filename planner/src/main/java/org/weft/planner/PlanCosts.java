package org.weft.planner;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Prediction for a job.
 *
 * @param steps in the order in which they run; {@code kernel}, {@code merge} and {@code products}
 *     are those of one iteration
 * @param storageBytes bytes of the packed partitions of all forms, over the cluster
 * @param iterations times that these run at most
 */
public record PlanCosts(List<StepCosts> steps, double storageBytes, int iterations)
    implements Serializable {
  public PlanCosts {
    steps = new ArrayList<>(steps);
  }

  public Optional<StepCosts> step(String name) {
    return steps.stream().filter(s -> s.step().equals(name)).findFirst();
  }

  /**
   * The same with kernels that make MTTKRPs of products.
   *
   * @param held bytes of all products, on an executor
   */
  PlanCosts withProducts(double moved, double flops, double seconds, double held) {
    List<StepCosts> all = new ArrayList<>();
    for (StepCosts step : steps) {
      double memory = step.memoryBytesPerExecutor() + (isRepeated(step.step()) ? held : 0);
      all.add(new StepCosts(step.step(), step.bytesMoved(), step.flops(), step.seconds(), memory));
      if (step.step().equals("merge")) {
        all.add(new StepCosts("products", moved, flops, seconds, memory));
      }
    }
    return new PlanCosts(all, storageBytes, iterations);
  }

  /** Wall-clock seconds of one iteration. */
  public double iterationSeconds() {
    return steps.stream()
        .filter(step -> isRepeated(step.step()))
        .mapToDouble(StepCosts::seconds)
        .sum();
  }

  /** Whether a step is one of each iteration. */
  public static boolean isRepeated(String step) {
    return List.of("kernel", "merge", "products").contains(step);
  }

  /** Wall-clock seconds of the job if it runs all iterations. */
  public double seconds() {
    return seconds(iterations);
  }

  /** Wall-clock seconds of the job if it runs so many iterations. */
  double seconds(int times) {
    double sum = 0;
    for (StepCosts step : steps) {
      sum += step.seconds() * (isRepeated(step.step()) ? times : 1);
    }
    return sum;
  }

  /** Bytes that a kernel holds beside the tensor: operands, results and their copies. */
  public double kernelBytesBesideTensor() {
    return memory("kernel") - storageBytes;
  }

  /**
   * Bytes that are held at a time beside packed partitions and parsed entries, in one process: what
   * kernels hold, or what the partitions in work take while they are packed.
   */
  public double bytesBesideTensor() {
    return Math.max(kernelBytesBesideTensor(), memory("pack") - storageBytes - memory("read"));
  }

  private double memory(String name) {
    return step(name).map(StepCosts::memoryBytesPerExecutor).orElse(0.0);
  }

  /** Bytes that an executor holds at most. */
  public double peakMemoryBytesPerExecutor() {
    return steps.stream().mapToDouble(StepCosts::memoryBytesPerExecutor).max().orElse(0);
  }
}
