package org.weft.planner;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Prediction for a job.
 *
 * @param steps in the order in which they run; {@code kernel} and {@code merge} are those of one
 *     iteration
 * @param storageBytes bytes of all packed partitions of all modes, over the cluster
 * @param iterations times that {@code kernel} and {@code merge} run at most
 */
public record PlanCosts(List<StepCosts> steps, double storageBytes, int iterations)
    implements Serializable {
  public PlanCosts {
    steps = new ArrayList<>(steps);
  }

  public Optional<StepCosts> step(String name) {
    return steps.stream().filter(s -> s.step().equals(name)).findFirst();
  }

  /** Wall-clock seconds of the job if it runs all iterations. */
  public double seconds() {
    double sum = 0;
    for (StepCosts step : steps) {
      boolean repeated = step.step().equals("kernel") || step.step().equals("merge");
      sum += step.seconds() * (repeated ? iterations : 1);
    }
    return sum;
  }

  /** Bytes that an executor holds at most. */
  public double peakMemoryBytesPerExecutor() {
    return steps.stream().mapToDouble(StepCosts::memoryBytesPerExecutor).max().orElse(0);
  }
}
