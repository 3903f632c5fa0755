package org.weft.jobs.explain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.KernelRequest;
import org.weft.engine.Engine;
import org.weft.jobs.output.Console;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.StepCosts;
import org.weft.planner.partition.PartitionCosts;
import org.weft.storage.document.JsonText;

/** Prints a job's plan, and each distinct kernel of it as an explanation asks. */
public final class PlanReport {
  /** Those that have a plan as JSON. */
  public static final List<String> COMMANDS =
      List.of("eval", "run", "mttkrp", "ttm", "ttv", "cpd", "tucker", "complete", "cpapr", "gcp");

  private PlanReport() {}

  public static void print(
      Console console, Engine engine, JobPlan plan, @Nullable ExplainCommand explain)
      throws IOException {
    print(console, engine, Map.of("", plan), explain);
  }

  /**
   * Prints the plans of jobs that follow each other, under their names. The name of one alone is
   * not printed.
   */
  public static void print(
      Console console, Engine engine, Map<String, JobPlan> plans, @Nullable ExplainCommand explain)
      throws IOException {
    if (explain != null && explain.json) {
      Map<String, Object> each = new LinkedHashMap<>();
      plans.forEach((name, plan) -> each.put(name, members(plan)));
      console.text(JsonText.of(each.size() == 1 ? each.values().iterator().next() : each));
      return;
    }
    Map<String, KernelRequest> kernels = new LinkedHashMap<>();
    plans.forEach(
        (name, plan) -> {
          if (plans.size() > 1) {
            console.result("%s:", name);
          }
          console.text(engine.planner().explain(plan));
          for (ModePlan mode : plan.modes()) {
            kernels.putIfAbsent(mode.kernel().request().symbol(), mode.kernel().request());
          }
        });
    kernels.forEach(
        (symbol, kernel) ->
            KernelStages.print(console, symbol, () -> engine.compiler().explain(kernel), explain));
  }

  /** Prints a plan with what its job took. */
  public static void print(
      Console console, Engine engine, Analysis analysis, @Nullable ExplainCommand explain)
      throws IOException {
    if (explain != null && explain.json) {
      Map<String, Object> all = members(analysis.plan());
      all.put("measured", analysis.members());
      console.text(JsonText.of(all));
      return;
    }
    print(console, engine, analysis.plan(), explain);
    console.text("\n" + analysis.text());
  }

  private static Map<String, Object> members(JobPlan plan) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("job", plan.job().toString());
    all.put("dims", plan.statistics().shape().toArray());
    all.put("nnz", plan.statistics().entries());
    Map<String, Object> cluster = new LinkedHashMap<>();
    cluster.put("executors", plan.resources().executors());
    cluster.put("cores_per_executor", plan.resources().coresPerExecutor());
    cluster.put("memory_bytes_per_executor", plan.resources().memoryBytesPerExecutor());
    all.put("cluster", cluster);
    List<Object> passes = new ArrayList<>();
    for (ModePlan mode : plan.modes()) {
      Map<String, Object> pass = new LinkedHashMap<>();
      pass.put("mode", mode.mode());
      pass.put("format", mode.kernel().tensorFormat().toString());
      pass.put("partitioned_mode", mode.kernel().partitionedMode());
      pass.put("partitions", mode.partitions().size());
      pass.put("flops", sum(mode, PartitionCosts::flops));
      pass.put("bytes_moved", sum(mode, PartitionCosts::bytesMoved));
      pass.put("storage_bytes", sum(mode, PartitionCosts::storageBytes));
      pass.put("kernel_seconds", sum(mode, PartitionCosts::seconds));
      passes.add(pass);
    }
    all.put("passes", passes);
    List<Object> steps = new ArrayList<>();
    for (StepCosts cost : plan.predicted().steps()) {
      Map<String, Object> step = new LinkedHashMap<>();
      step.put("step", cost.step());
      step.put("bytes_moved", cost.bytesMoved());
      step.put("flops", cost.flops());
      step.put("seconds", cost.seconds());
      step.put("memory_bytes_per_executor", cost.memoryBytesPerExecutor());
      steps.add(step);
    }
    all.put("steps", steps);
    all.put("iterations", plan.predicted().iterations());
    all.put("seconds", plan.predicted().seconds());
    return all;
  }

  private static double sum(ModePlan mode, ToDoubleFunction<PartitionCosts> cost) {
    return mode.partitions().stream().mapToDouble(cost).sum();
  }
}
