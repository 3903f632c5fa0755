package org.weft.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.job.Job;
import org.weft.planner.partition.PartitionCosts;

/** Collects the times of one job: phases on the driver, measurements from the tasks. */
public final class JobClock {
  private static final List<String> PHASES =
      List.of("read", "reorder", "shuffle", "pack", "compile", "kernel", "merge", "write");

  /** Measurements of rows that came from other processes. */
  private static final Set<String> ROWS = Set.of("operands", "rows");

  private final Measurements measurements;
  private final int slots;
  private long operandRows;
  private long exchangedBytes;
  private long laterExchangedBytes; // by executions of a step after its first
  private long packedBytes;
  private final Map<String, Long> phases = new LinkedHashMap<>();
  private final Map<String, Long> peaks = new HashMap<>();
  private final Map<String, Step> steps = new LinkedHashMap<>();

  /** Sums over the executions of one step. */
  private static final class Step {
    private double predictedSeconds = Double.NaN;
    private int executions;
    private int calls;
    private long nonzeros;
    private long nanos;
    private long slowestNanos;
    private long elapsedNanos;
    private long flops;
    private long bytes;

    StepReport report(String name) {
      double seconds = Math.max(1, nanos) * 1e-9;
      int times = Math.max(1, executions);
      return new StepReport(
          name,
          calls,
          nonzeros / times,
          predictedSeconds,
          elapsedNanos * 1e-9 / times,
          nonzeros / seconds,
          flops / seconds * 1e-9,
          bytes / seconds * 1e-9,
          nanos == 0 ? 1 : (double) slowestNanos / times / ((double) nanos / Math.max(1, calls)));
    }
  }

  /**
   * @param measurements where tasks report
   * @param slots tasks that run at a time
   */
  public JobClock(Measurements measurements, int slots) {
    this.measurements = measurements;
    this.slots = slots;
    PHASES.forEach(phase -> phases.put(phase, 0L));
  }

  /** Where tasks report. */
  public Measurements measurements() {
    return measurements;
  }

  public void add(String phase, long nanos) {
    phases.merge(phase, Math.max(0, nanos), Long::sum);
  }

  void peak(String executor, long bytes) {
    peaks.merge(executor, bytes, Math::max);
  }

  /**
   * Books a job that packed in {@code elapsed} ns.
   *
   * @param arrival how the entries came to be packed: the phase of the time that is left
   */
  public void packed(String arrival, long elapsed) {
    List<TaskMeasurement> tasks = drain("pack");
    tasks.forEach(task -> holds(task.bytes()));
    long pack = Math.min(elapsed, concurrent(tasks, slots));
    add("pack", pack);
    add(arrival, elapsed - pack);
  }

  /** Books bytes of packed partitions. */
  public void holds(long bytes) {
    packedBytes += bytes;
  }

  /** Books the writing or the collecting of a method's result, which took {@code elapsed} ns. */
  void wrote(long elapsed) {
    drain();
    add("write", elapsed);
  }

  /** Books one execution of {@code pass} that took {@code elapsed} ns in all. */
  public void ran(JobPlan plan, ModePlan pass, long elapsed) {
    int kernels =
        Math.max(1, Math.min(pass.kernelsAtATime(plan.resources()), pass.partitions().size()));
    double sum = pass.total(PartitionCosts::seconds);
    ran(plan.job().name() + " mode " + pass.mode(), sum / kernels, elapsed, kernels);
  }

  /**
   * Books one execution of a kernel step.
   *
   * @param predictedSeconds if those that run at a time have even shares
   * @param kernels of which so many run at a time
   */
  private void ran(String step, double predictedSeconds, long elapsed, int kernels) {
    long exchangedBefore = exchangedBytes;
    List<TaskMeasurement> all = drain();
    List<TaskMeasurement> calls = only(all, "kernel");
    operandRows += only(all, "operands").stream().mapToLong(TaskMeasurement::nonzeros).sum();
    Step sums = steps.computeIfAbsent(step, name -> new Step());
    sums.predictedSeconds = predictedSeconds;
    laterExchangedBytes += sums.executions == 0 ? 0 : exchangedBytes - exchangedBefore;
    sums.executions++;
    long slowest = 0;
    for (TaskMeasurement call : calls) {
      sums.calls++;
      sums.nonzeros += call.nonzeros();
      sums.nanos += call.nanos();
      sums.flops += call.flops();
      sums.bytes += call.bytes();
      slowest = Math.max(slowest, call.nanos());
    }
    sums.slowestNanos += slowest;
    long kernel = Math.min(elapsed, Math.max(slowest, concurrent(calls, kernels)));
    long write = Math.min(elapsed - kernel, concurrent(only(all, "write"), slots));
    sums.elapsedNanos += kernel;
    add("kernel", kernel);
    add("write", write);
    add("merge", elapsed - kernel - write);
  }

  /** Elapsed time of measurements of which so many run at a time. */
  private static long concurrent(List<TaskMeasurement> tasks, int atATime) {
    long sum = tasks.stream().mapToLong(TaskMeasurement::nanos).sum();
    return sum / Math.max(1, Math.min(atATime, tasks.size()));
  }

  private List<TaskMeasurement> drain(String phase) {
    return only(drain(), phase);
  }

  private List<TaskMeasurement> drain() {
    List<TaskMeasurement> all = measurements.drain();
    for (TaskMeasurement task : all) {
      peak(task.executor(), task.peakResidentBytes());
      if (ROWS.contains(task.phase())) {
        exchangedBytes += task.bytes();
      }
    }
    return all;
  }

  private static List<TaskMeasurement> only(List<TaskMeasurement> all, String phase) {
    return all.stream().filter(task -> task.phase().equals(phase)).toList();
  }

  JobReport report(Job job, long nonzeros, int partitions) {
    peak("driver", ProcessMemory.peakResidentBytes());
    Step total = new Step();
    for (Step step : steps.values()) {
      total.nonzeros += step.nonzeros;
      total.nanos += step.nanos;
      total.flops += step.flops;
      total.bytes += step.bytes;
    }
    StepReport rates = total.report("all");
    List<StepReport> reports = new ArrayList<>();
    steps.forEach((name, step) -> reports.add(step.report(name)));
    return new JobReport(
        job,
        phases,
        nonzeros,
        partitions,
        rates.nonzerosPerSecond(),
        rates.gflops(),
        rates.gbps(),
        reports,
        operandRows,
        exchangedBytes,
        laterExchangedBytes,
        packedBytes,
        peaks.values().stream().mapToLong(Long::longValue).sum());
  }
}
