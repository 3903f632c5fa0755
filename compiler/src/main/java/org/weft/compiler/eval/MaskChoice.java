package org.weft.compiler.eval;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorMask;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.graph.IterationGraph;
import org.weft.compiler.lang.Mask;
import org.weft.error.WeftException;

/**
 * Chooses between pushing and pulling for a mask without a strategy, by the expected number of
 * steps.
 *
 * <p>To push takes a step for each contribution to a cell, in the mask or not, and two for each
 * entry of the mask. To pull takes for each entry of the mask the fibers of the operands that are
 * walked along the reductions. Either pays for the operands that have to be transposed.
 */
final class MaskChoice {
  /** Loop iterations that converting one entry is worth: it is read, counted, moved and written. */
  private static final double CONVERSION = 8;

  private final Estimates estimates;
  private final Map<String, Double> entries;
  private final List<String> loopOrder;

  MaskChoice(Estimates estimates, Map<String, Double> entries, List<String> loopOrder) {
    this.estimates = estimates;
    this.entries = entries;
    this.loopOrder = loopOrder;
  }

  /** {@code assignment} with a mask that pushes or pulls, if it has one. */
  TensorAssignment settle(TensorAssignment assignment) {
    TensorMask mask = assignment.mask();
    if (mask == null || mask.strategy() != Mask.Strategy.AUTO) {
      return assignment;
    }
    TensorMask push = mask.withStrategy(Mask.Strategy.PUSH);
    TensorMask pull = mask.withStrategy(Mask.Strategy.PULL);
    double pushing = cost(assignment.withMask(push), push);
    double pulling = cost(assignment.withMask(pull), pull);
    return assignment.withMask(pulling <= pushing ? pull : push);
  }

  private double cost(TensorAssignment assignment, TensorMask mask) {
    IterationGraph graph = IterationGraph.of(assignment, loopOrder);
    Map<Integer, int[]> transposed =
        OperandFormats.transpositions(assignment, graph, access -> stored(access.tensor()));
    double converting =
        assignment.value().accesses().stream()
            .filter(access -> transposed.containsKey(access.id()))
            .mapToDouble(access -> CONVERSION * stored(access.tensor()))
            .sum();
    TensorAssignment ready =
        assignment.withValue(
            Conversions.replace(
                assignment.value(),
                access ->
                    transposed.containsKey(access.id())
                        ? transposed(access, transposed.get(access.id()))
                        : access));
    try {
      IterationGraph.of(ready, loopOrder).loopOrder();
    } catch (WeftException conflict) {
      return Double.POSITIVE_INFINITY;
    }
    double entriesOfMask = stored(mask.access().tensor());
    return mask.strategy() == Mask.Strategy.PULL
        ? converting + entriesOfMask * fibers(ready.value(), mask)
        : converting + contributions(ready.value(), mask) + 2 * entriesOfMask;
  }

  private static List<TensorExpr.Access> operands(TensorExpr value, TensorMask mask) {
    return value.accesses().stream().filter(a -> a.id() != mask.access().id()).toList();
  }

  /** Values that are scattered, if every operand is a factor. */
  private double contributions(TensorExpr value, TensorMask mask) {
    List<TensorExpr.Access> operands = operands(value, mask);
    Set<IndexVar> variables = new HashSet<>();
    operands.forEach(access -> variables.addAll(access.variables()));
    return estimates.tuples(operands, variables);
  }

  /** Steps of the reductions for one entry of the mask. */
  private double fibers(TensorExpr value, TensorMask mask) {
    Set<IndexVar> reduced = value.reducedVariables();
    double walked = 0;
    for (TensorExpr.Access access : operands(value, mask)) {
      Set<IndexVar> along = new HashSet<>(access.variables());
      along.retainAll(reduced);
      if (!along.isEmpty() && !access.tensor().format().isDense()) {
        Set<IndexVar> fixed = new HashSet<>(access.variables());
        fixed.removeAll(reduced);
        walked += stored(access.tensor()) / Math.max(1, estimates.cells(fixed));
      }
    }
    return 1 + (walked == 0 ? estimates.cells(reduced) : walked);
  }

  private static TensorExpr.Access transposed(TensorExpr.Access access, int[] modeOrder) {
    TensorVar tensor = access.tensor();
    TensorVar turned =
        new TensorVar(
            tensor.name(),
            OperandFormats.transposed(tensor.format(), modeOrder),
            TensorVar.Kind.OPERAND);
    return new TensorExpr.Access(access.id(), turned, access.variables(), access.span());
  }

  private double stored(TensorVar tensor) {
    return entries.getOrDefault(tensor.name(), Double.MAX_VALUE);
  }
}
