package org.weft.jobs.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A workload's figures.
 *
 * @param tensor name of the tensor
 * @param workload what ran
 * @param medianSeconds of the rounds
 * @param leastSeconds of the rounds
 * @param boundSeconds that no kernel with this work is faster than on this machine
 * @param speedUp median with one thread over this median; 0 where one thread was not measured
 * @param otherRatio another program's time over this kernel's, median of the rounds; NaN without
 *     one
 * @param otherLeastSeconds of the other program
 */
public record WorkloadFigures(
    String tensor,
    Workload workload,
    double medianSeconds,
    double leastSeconds,
    double boundSeconds,
    double speedUp,
    double otherRatio,
    double otherLeastSeconds) {

  double megaNonzerosPerSecond() {
    return workload.work().nonzeros() / medianSeconds * 1e-6;
  }

  double gigaFlops() {
    return workload.work().flops() / medianSeconds * 1e-9;
  }

  double gigaBytes() {
    return workload.work().bytes() / medianSeconds * 1e-9;
  }

  /** Share of the bound that the median reaches; above 1 where a larger cache helps. */
  double boundShare() {
    return boundSeconds / medianSeconds;
  }

  /** All figures by name, in the order of the report's columns; null where there is none. */
  Map<String, @Nullable Object> columns() {
    Map<String, @Nullable Object> columns = new LinkedHashMap<>();
    columns.put("kernel", workload.kernel());
    columns.put("tensor", tensor);
    columns.put("parameters", workload.parameters());
    columns.put("threads", workload.threads());
    columns.put("median_seconds", medianSeconds);
    columns.put("least_seconds", leastSeconds);
    columns.put("nonzeros", workload.work().nonzeros());
    columns.put("flops", workload.work().flops());
    columns.put("bytes", workload.work().bytes());
    columns.put("nonzeros_per_second", workload.work().nonzeros() / medianSeconds);
    columns.put("gflops_per_second", gigaFlops());
    columns.put("gbytes_per_second", gigaBytes());
    columns.put("bound_seconds", boundSeconds);
    columns.put("bound_share", boundShare());
    columns.put("speed_up", speedUp);
    columns.put("other_over_this", Double.isNaN(otherRatio) ? null : otherRatio);
    columns.put("other_least_seconds", Double.isNaN(otherLeastSeconds) ? null : otherLeastSeconds);
    return columns;
  }
}
