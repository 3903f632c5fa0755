package org.weft.jobs;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.KernelRequest;
import org.weft.engine.Engine;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;

/** Prints a job's plan, and each distinct kernel of it as an explanation asks. */
final class PlanReport {
  private PlanReport() {}

  static void print(
      Console console, Engine engine, JobPlan plan, @Nullable ExplainCommand explain) {
    console.text(engine.planner().explain(plan));
    Map<String, KernelRequest> kernels = new LinkedHashMap<>();
    for (ModePlan mode : plan.modes()) {
      kernels.putIfAbsent(mode.kernel().request().symbol(), mode.kernel().request());
    }
    kernels.forEach(
        (symbol, kernel) ->
            KernelStages.print(console, symbol, () -> engine.compiler().explain(kernel), explain));
  }
}
