package org.weft.jobs.bench;

import java.util.HashMap;
import java.util.Map;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.eval.EvaluationPlan;
import org.weft.compiler.eval.EvaluationStep;
import org.weft.tensor.TensorStorage;

/**
 * What the steps of a plan compute: for each the coordinates at which its value is expected to
 * exist, with entries spread evenly, times the operations at one of them. The bytes are those of
 * the operands and of the result, once each.
 */
final class StatementWork {
  private final Map<String, Long> sizes;
  private final Map<String, Double> densities;

  private StatementWork(RandomStatement statement) {
    this.sizes = statement.sizes();
    this.densities = new HashMap<>(statement.densities());
  }

  static Work of(
      RandomStatement statement,
      EvaluationPlan plan,
      Map<String, TensorStorage> operands,
      long resultBytes) {
    StatementWork work = new StatementWork(statement);
    double flops = 0;
    for (EvaluationStep step : plan.steps()) {
      if (step instanceof EvaluationStep.Compute compute) {
        flops += work.flops(compute.algebra());
      } else if (step instanceof EvaluationStep.Convert convert) {
        double density = work.densities.getOrDefault(convert.source().name(), 1.0);
        work.densities.put(convert.result().name(), density);
      }
    }
    double entries = 0;
    double bytes = resultBytes;
    for (TensorStorage operand : operands.values()) {
      entries += operand.format().isDense() ? 0 : operand.storedEntries();
      bytes += operand.byteSize();
    }
    return new Work(entries, flops, bytes);
  }

  /** Operations of one step; notes the density of its result. */
  private double flops(TensorAssignment algebra) {
    TensorExpr value = algebra.value();
    double cells = cells(algebra.variables());
    double share = density(value);
    double summed = cells / cells(algebra.target().variables());
    double found = -Math.expm1(summed * Math.log1p(-Math.min(share, 1)));
    densities.put(algebra.target().tensor().name(), share >= 1 ? 1 : found);
    boolean sums = algebra.accumulate() || summed > 1;
    return cells * share * (operations(value) + (sums ? 1 : 0));
  }

  private double cells(Iterable<IndexVar> variables) {
    double cells = 1;
    for (IndexVar variable : variables) {
      cells *= sizes.getOrDefault(variable.name(), 1L);
    }
    return cells;
  }

  /** Share of the coordinates at which {@code expr} has a value. */
  private double density(TensorExpr expr) {
    if (expr instanceof TensorExpr.Access access) {
      return densities.getOrDefault(access.tensor().name(), 1.0);
    }
    double all = expr instanceof TensorExpr.Product ? 1 : 0;
    for (TensorExpr child : expr.children()) {
      double share = density(child);
      all = expr instanceof TensorExpr.Product ? all * share : Math.min(1, all + share);
    }
    return expr.children().isEmpty() ? 1 : all;
  }

  /** Operations at one coordinate: those with two operands. */
  private static int operations(TensorExpr expr) {
    boolean combines = expr instanceof TensorExpr.Sum || expr instanceof TensorExpr.Product;
    int operations = combines ? expr.children().size() - 1 : 0;
    for (TensorExpr child : expr.children()) {
      operations += operations(child);
    }
    return operations;
  }
}
