package org.weft.planner.distributed;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.eval.EvaluationPlan;
import org.weft.compiler.eval.EvaluationStep;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.OperandOutline;
import org.weft.compiler.eval.StatementAlgebra;

/** Makes statements ready to be sent: plans them, and compiles every kernel. */
final class StatementCompiler {
  private final TensorCompiler compiler;
  private final Evaluator evaluator;

  StatementCompiler(TensorCompiler compiler) {
    this.compiler = compiler;
    this.evaluator = new Evaluator(compiler, 1);
  }

  /**
   * The statement for parts whose sizes of {@code open} differ. An operand that the evaluation
   * would convert is packed in that format at once; the result stays as the last kernel makes it.
   */
  CompiledStatement compile(StatementAlgebra algebra, Set<String> open) {
    EvaluationPlan plan = evaluator.plan(algebra, Schedule.parallel(), open);
    Map<String, List<String>> labels = labels(algebra);
    List<EvaluationStep> steps = new ArrayList<>(plan.steps());
    if (steps.size() > 1 && steps.get(steps.size() - 1) instanceof EvaluationStep.Convert) {
      steps.remove(steps.size() - 1);
    }
    List<CompiledStatement.Packed> forms = new ArrayList<>();
    List<CompiledStatement.Step> compiled = new ArrayList<>();
    Set<String> read = new HashSet<>();
    for (EvaluationStep step : steps) {
      if (step instanceof EvaluationStep.Convert convert) {
        String source = convert.source().name();
        List<String> of = labels.get(source);
        if (of == null) {
          throw new IllegalStateException("no tensor " + source + " among " + labels.keySet());
        }
        labels.put(convert.result().name(), of);
        OperandOutline operand = algebra.operands().get(source);
        if (operand != null) {
          forms.add(
              new CompiledStatement.Packed(
                  source,
                  convert.result().name(),
                  convert.result().format(),
                  of,
                  operand.nonzeros()));
        } else {
          compiled.add(
              new CompiledStatement.Repack(
                  source,
                  convert.result().name(),
                  convert.result().format(),
                  convert.source().format().endsFull() && !convert.result().format().isDense()));
        }
        continue;
      }
      EvaluationStep.Compute compute = (EvaluationStep.Compute) step;
      Set<String> reads = new HashSet<>();
      compute.algebra().value().accesses().forEach(access -> reads.add(access.tensor().name()));
      read.addAll(reads);
      List<String> made = names(compute.algebra().target().variables());
      labels.put(compute.result().name(), made);
      compiled.add(
          new CompiledStatement.Compute(
              compiler.compile(compute.kernel()),
              reads.stream().sorted().toList(),
              compute.result().name(),
              made));
    }
    for (Map.Entry<String, OperandOutline> operand : algebra.operands().entrySet()) {
      List<String> of = labels.get(operand.getKey());
      if (read.contains(operand.getKey()) && of != null) {
        forms.add(
            new CompiledStatement.Packed(
                operand.getKey(),
                operand.getKey(),
                operand.getValue().format(),
                of,
                operand.getValue().nonzeros()));
      }
    }
    return new CompiledStatement(forms, compiled, names(algebra.assignment().target().variables()));
  }

  private static Map<String, List<String>> labels(StatementAlgebra algebra) {
    Map<String, List<String>> labels = new LinkedHashMap<>();
    for (TensorExpr.Access access : algebra.assignment().value().accesses()) {
      labels.put(access.tensor().name(), names(access.variables()));
    }
    return labels;
  }

  static List<String> names(List<IndexVar> variables) {
    return variables.stream().map(IndexVar::name).toList();
  }
}
