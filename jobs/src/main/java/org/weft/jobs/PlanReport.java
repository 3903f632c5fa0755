package org.weft.jobs;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Explanation;
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
    if (explain == null) {
      return;
    }
    Map<String, KernelRequest> kernels = new LinkedHashMap<>();
    for (ModePlan mode : plan.modes()) {
      kernels.putIfAbsent(mode.kernel().request().symbol(), mode.kernel().request());
    }
    for (KernelRequest kernel : kernels.values()) {
      Explanation stages = engine.compiler().explain(kernel);
      section(console, kernel.symbol() + ": tensor algebra", stages.algebra());
      section(console, kernel.symbol() + ": iteration graph", stages.iterationGraph());
      section(console, kernel.symbol() + ": loops", stages.loops());
      if (explain.llvm) {
        section(console, kernel.symbol() + ": LLVM IR", stages.optimisedLlvmIr());
      }
      if (explain.assembly) {
        section(console, kernel.symbol() + ": assembly", stages.assembly());
      }
    }
  }

  private static void section(Console console, String title, String text) {
    console.text("\n== " + title + "\n" + text.stripTrailing() + "\n");
  }
}
