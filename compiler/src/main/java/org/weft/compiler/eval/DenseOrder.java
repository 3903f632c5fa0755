package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.tensor.TensorFormat;

/**
 * Loop orders of contractions of dense tensors. The innermost loop runs over the result's last
 * variable, so that it reads and writes neighbours and its iterations are independent; around it
 * run the summed variables, and outside those the others of the result.
 *
 * <p>An operand that has that variable elsewhere is transposed first when the statement multiplies
 * far more numbers than the operand holds (transpose, transpose, multiply).
 */
final class DenseOrder {
  private static final long SHORT_LOOP = 4;
  private static final double REUSE = 16;

  /**
   * A loop order, and what to transpose for it.
   *
   * @param transpose an operand, or null
   * @param modeOrder its new mode order
   */
  record Choice(
      List<String> loops, TensorExpr.@Nullable Access transpose, List<Integer> modeOrder) {}

  private DenseOrder() {}

  /** A better order than the iteration graph's, or null. */
  static @Nullable Choice of(TensorAssignment assignment, Estimates estimates) {
    TensorExpr value = assignment.value();
    while (value instanceof TensorExpr.Reduce || value instanceof TensorExpr.Negate) {
      value = value.children().get(0);
    }
    TensorExpr.Access target = assignment.target();
    List<TensorExpr.Access> factors = value.accesses();
    boolean product =
        TensorExpr.Product.isTimes(value)
            && value instanceof TensorExpr.Product p
            && p.factors().stream()
                .allMatch(f -> f instanceof TensorExpr.Access || f instanceof TensorExpr.Literal);
    if (!product
        || target.variables().isEmpty()
        || assignment.value().reducedVariables().isEmpty()
        || !isDense(target)
        || !factors.stream().allMatch(DenseOrder::isDense)) {
      return null;
    }
    IndexVar inner = last(target);
    List<TensorExpr.Access> users =
        factors.stream().filter(f -> f.variables().contains(inner)).toList();
    if (users.isEmpty() || estimates.cells(List.of(inner)) < SHORT_LOOP) {
      return null;
    }
    TensorExpr.Access awkward =
        users.stream().filter(f -> !last(f).equals(inner)).findFirst().orElse(null);
    double work = estimates.cells(assignment.variables());
    if (awkward != null && work < REUSE * estimates.cells(awkward.variables())) {
      return null;
    }
    return new Choice(
        loops(assignment, inner), awkward, awkward == null ? List.of() : innermost(awkward, inner));
  }

  private static boolean isDense(TensorExpr.Access access) {
    TensorFormat format = access.tensor().format();
    return format.isOrdinary() && format.isDense() && format.isInsertable();
  }

  private static IndexVar last(TensorExpr.Access access) {
    int levels = access.tensor().format().levelCount();
    return levels == 0 ? new IndexVar("") : access.variableAt(levels - 1);
  }

  private static List<String> loops(TensorAssignment assignment, IndexVar inner) {
    TensorExpr.Access target = assignment.target();
    Set<String> loops = new LinkedHashSet<>();
    for (int level = 0; level < target.tensor().format().levelCount(); level++) {
      if (!target.variableAt(level).equals(inner)) {
        loops.add(target.variableAt(level).name());
      }
    }
    assignment.variables().stream()
        .filter(assignment::isReduction)
        .forEach(variable -> loops.add(variable.name()));
    loops.add(inner.name());
    return List.copyOf(loops);
  }

  /** The mode order of {@code access} with the modes of {@code inner} behind all others. */
  private static List<Integer> innermost(TensorExpr.Access access, IndexVar inner) {
    List<Integer> modes = new ArrayList<>();
    List<Integer> last = new ArrayList<>();
    for (int mode : access.tensor().format().modeOrder()) {
      (access.variables().get(mode).equals(inner) ? last : modes).add(mode);
    }
    modes.addAll(last);
    return modes;
  }
}
