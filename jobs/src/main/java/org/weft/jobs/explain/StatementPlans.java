package org.weft.jobs.explain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.weft.compiler.eval.EvaluationPlan;
import org.weft.compiler.eval.EvaluationStep;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.Statement;
import org.weft.planner.distributed.Costs;
import org.weft.planner.distributed.DistributedPlan;
import org.weft.planner.distributed.Measured;
import org.weft.tensor.TensorStorage;

/** Plans of statements as members of JSON. */
public final class StatementPlans {
  private StatementPlans() {}

  /** The plan of a statement in one process. */
  public static Map<String, Object> members(
      Map<String, TensorStorage> operands, EvaluationPlan plan) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("statement", plan.statement());
    List<Object> read = new ArrayList<>();
    operands.forEach(
        (name, operand) -> {
          Map<String, Object> members = new LinkedHashMap<>();
          members.put("name", name);
          members.put("dims", operand.shape().toArray());
          members.put("stored_entries", operand.storedEntries());
          members.put("format", operand.format().toString());
          read.add(members);
        });
    all.put("operands", read);
    all.put("notes", plan.notes());
    all.put("steps", plan.steps().stream().map(StatementPlans::members).toList());
    return all;
  }

  private static Map<String, Object> members(EvaluationStep step) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("step", step instanceof EvaluationStep.Convert ? "convert" : "compute");
    members.put("result", step.result().name());
    members.put("format", step.result().format().toString());
    if (step instanceof EvaluationStep.Convert convert) {
      members.put("source", convert.source().name());
      members.put("reason", convert.reason());
    } else if (step instanceof EvaluationStep.Compute compute) {
      members.put("dims", compute.shape().toArray());
      members.put("algebra", compute.algebra().toString());
      members.put("schedule", compute.schedule().toString());
      members.put("estimate", compute.estimate());
      members.put("candidates", compute.candidates().lines().map(String::strip).toList());
    }
    return members;
  }

  /**
   * The plan of a statement on tensors in parts.
   *
   * @param measured by names of nodes; of those that ran
   */
  public static Map<String, Object> members(DistributedPlan plan, Map<String, Measured> measured) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("dims", plan.shape().toArray());
    all.put("format", plan.format().toString());
    all.put("labels", plan.grid().labels());
    all.put("exchanged_bytes", plan.exchangedBytes());
    all.put("nodes", plan.lines(measured).stream().map(StatementPlans::members).toList());
    List<Object> alternatives = new ArrayList<>();
    for (DistributedPlan.Alternative other : plan.alternatives()) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("what", other.what());
      members.put("exchanged_bytes", other.bytes());
      members.put("memory_bytes_per_task", other.memoryBytes());
      members.put("seconds", other.seconds());
      alternatives.add(members);
    }
    all.put("alternatives", alternatives);
    return all;
  }

  private static Map<String, Object> members(DistributedPlan.Line line) {
    Costs costs = line.node().costs();
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("depth", line.depth());
    members.put("node", line.node().toString());
    members.put("moved_bytes", costs.bytes());
    members.put("memory_bytes_per_task", costs.memoryBytes());
    members.put("flops", costs.flops());
    members.put("seconds", costs.seconds());
    Measured measured = line.measured();
    if (measured != null) {
      Map<String, Object> took = new LinkedHashMap<>();
      took.put("moved_bytes", measured.bytes());
      took.put("entries", measured.entries());
      took.put("task_seconds", measured.seconds());
      members.put("measured", took);
    }
    return members;
  }

  /** A plan with the place of its statement in a program. */
  public static Map<String, Object> located(Statement statement, Map<String, Object> plan) {
    SourceSpan span = statement.value().span();
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("file", span.source().name());
    members.put("line", span.source().line(span.offset()));
    members.putAll(plan);
    return members;
  }
}
