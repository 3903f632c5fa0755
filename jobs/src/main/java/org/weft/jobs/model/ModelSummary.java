package org.weft.jobs.model;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.Engine;
import org.weft.engine.JobReport;
import org.weft.engine.StepReport;
import org.weft.jobs.output.JsonText;
import org.weft.jobs.process.Versions;
import org.weft.planner.machine.MachineParameters;
import org.weft.storage.container.Container;
import org.weft.storage.file.Contents;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.Fingerprints;
import org.weft.tensor.ValueType;
import org.weft.tensor.statistics.TensorStatistics;

/** What {@code summary.json} of a decomposition says. Times are in seconds. */
public final class ModelSummary {
  /** Of the folder: raised when a member comes to mean something else. */
  private static final int SCHEMA = 1;

  private final List<String> inputs;
  private final Map<String, Object> content;

  private ModelSummary(List<String> inputs, Map<String, Object> content) {
    this.inputs = inputs;
    this.content = content;
  }

  /**
   * What a run was about.
   *
   * @param inputs the tensor, then what was read beside it
   * @param command the arguments
   * @param seconds in all
   */
  public record About(
      List<String> inputs,
      List<String> modeNames,
      List<String> command,
      TensorStatistics statistics,
      ValueType type,
      long seed,
      double seconds) {}

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
    content.put("schema", SCHEMA);
    content.put("command", "weft " + String.join(" ", about.command()));
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
    content.put("versions", Versions.all());
    return new ModelSummary(about.inputs(), content);
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

  /**
   * With where the model comes from: {@code content}, a check sum of its other files; {@code
   * inputs}, each with its version if it has one, length and check sum; {@code parent}, the model
   * that it started from or updates.
   */
  ModelSummary with(FileAccess files, String sum) throws IOException {
    Map<String, Object> more = new LinkedHashMap<>(content);
    more.put("content", sum);
    List<Object> read = new ArrayList<>();
    for (String input : inputs) {
      read.add(read(files, input));
    }
    more.put("inputs", read);
    Object from = content.getOrDefault("append", content.get("init"));
    if (from instanceof String uri && StartNames.isFolder(uri)) {
      ModelFolder model = ModelFolder.open(files, uri);
      Map<String, Object> parent = new LinkedHashMap<>();
      parent.put("uri", model.uri());
      parent.put("content", model.summary().path("content").asText("unknown"));
      more.put("parent", parent);
    }
    return new ModelSummary(inputs, more);
  }

  private static Map<String, Object> read(FileAccess files, String input) throws IOException {
    Map<String, Object> read = new LinkedHashMap<>();
    read.put("uri", input);
    if (Container.isThere(files, input)) {
      read.put("version", Container.open(files, input).version());
    }
    Optional<Contents> contents = new Fingerprints(files).of(input);
    contents.ifPresent(
        found -> {
          read.put("bytes", found.bytes());
          read.put("sum", found.sum());
        });
    return read;
  }

  byte[] json() throws IOException {
    return JsonText.of(content).getBytes(StandardCharsets.UTF_8);
  }
}
