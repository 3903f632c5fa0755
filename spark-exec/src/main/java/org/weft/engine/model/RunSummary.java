package org.weft.engine.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpAlgorithm;
import org.weft.engine.Engine;
import org.weft.engine.JobReport;
import org.weft.engine.StepReport;
import org.weft.planner.machine.MachineParameters;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.model.ModelSummary;
import org.weft.tensor.ValueType;

/** Makes the {@link ModelSummary} of a run. Times are in seconds. */
public final class RunSummary {
  private RunSummary() {}

  /**
   * What a run was about.
   *
   * @param inputs the tensor, then what was read beside it
   * @param command what ran it
   * @param versions by name
   * @param seconds in all
   */
  public record About(
      List<String> inputs,
      List<String> modeNames,
      String command,
      TensorStatistics statistics,
      ValueType type,
      long seed,
      double seconds,
      Map<String, String> versions) {}

  /**
   * The summary of a model that alternates over its modes.
   *
   * @param method its name and options
   * @param fits after each iteration
   * @param iterationSeconds of each
   * @param outcome more about the model
   */
  public static ModelSummary of(
      About about,
      Map<String, Object> method,
      double norm,
      List<Double> fits,
      List<Double> iterationSeconds,
      boolean converged,
      Map<String, Object> outcome,
      JobReport report) {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("command", about.command());
    content.put("input", about.inputs().get(0));
    if (!about.modeNames().isEmpty()) {
      content.put("modes", about.modeNames());
    }
    content.put("dims", about.statistics().shape().toArray());
    content.put("nnz", report.nonzeros());
    content.put("norm", norm);
    content.putAll(method);
    content.put("seed", about.seed());
    content.put("type", about.type().keyword());
    content.put("fit", fits.isEmpty() ? 0 : fits.get(fits.size() - 1));
    content.put("fits", fits);
    content.put("iterations", fits.size());
    content.put("iteration_seconds", iterationSeconds);
    content.put("converged", converged);
    content.putAll(outcome);
    content.put("times", times(report, about.seconds()));
    content.put("steps", steps(report));
    content.put("peak_memory_bytes", report.peakMemoryBytes());
    content.put("operand_rows_fetched", report.operandRowsFetched());
    content.put("kernel_nonzeros_per_second", report.nonzerosPerSecond());
    content.put("versions", about.versions());
    return new ModelSummary(about.inputs(), content);
  }

  /** What a CP decomposition was to be, and how it was to be made. */
  public static Map<String, Object> method(Cpd cpd, CpAlgorithm algorithm) {
    Map<String, Object> method = method(cpd);
    method.put("algorithm", algorithm.text(cpd));
    return method;
  }

  /** What a CP decomposition was to be. */
  public static Map<String, Object> method(Cpd cpd) {
    Map<String, Object> method = new LinkedHashMap<>();
    method.put("method", "cpd");
    method.put("rank", cpd.rank());
    method.put("nonnegative", cpd.nonnegative());
    if (!cpd.constraints().isEmpty()) {
      Map<String, Object> constraints = new LinkedHashMap<>();
      cpd.constraints().forEach((mode, each) -> constraints.put("" + mode, each.toString()));
      method.put("constraints", constraints);
    }
    method.put("ridge", cpd.ridge());
    method.put("tolerance", cpd.tolerance());
    return method;
  }

  private static List<Object> steps(JobReport report) {
    List<Object> steps = new ArrayList<>();
    for (StepReport step : report.steps()) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("step", step.name());
      members.put("calls", step.calls());
      if (!Double.isNaN(step.predictedSeconds())) {
        members.put("predicted_seconds", step.predictedSeconds());
      }
      members.put("measured_seconds", step.measuredSeconds());
      members.put("gflops", step.gflops());
      members.put("gbps", step.gbps());
      members.put("skew", step.skew());
      steps.add(members);
    }
    return steps;
  }

  /** The rates that plans expect of the threads of one kernel. */
  public static Map<String, Object> machine(Engine engine) {
    MachineParameters machine = engine.planner().options().machine();
    int threads = engine.resources().kernelThreads();
    return Map.of(
        "gflops",
        threads * machine.flopsPerSecond() * 1e-9,
        "gbps",
        threads * machine.streamBytesPerSecond() * 1e-9);
  }

  private static Map<String, Double> times(JobReport report, double seconds) {
    Map<String, Double> times = new LinkedHashMap<>();
    times.put("total", seconds);
    report.phaseNanos().forEach((phase, nanos) -> times.put(phase, nanos * 1e-9));
    return times;
  }
}
