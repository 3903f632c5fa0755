package org.weft.compiler.algebra;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * A checked statement.
 *
 * @param accumulate whether the value is added to the result ({@code +=})
 * @param constantSizes index variables whose size is known when compiling
 */
public record TensorAssignment(
    TensorExpr.Access target,
    boolean accumulate,
    TensorExpr value,
    Map<IndexVar, Long> constantSizes) {
  public TensorAssignment {
    constantSizes = Map.copyOf(constantSizes);
  }

  public TensorAssignment withValue(TensorExpr changed) {
    return new TensorAssignment(target, accumulate, changed, constantSizes);
  }

  /** The same value assigned to {@code changed}. */
  public TensorAssignment assignedTo(TensorExpr.Access changed) {
    return new TensorAssignment(changed, false, value, constantSizes);
  }

  /** Every index variable: the result's in mode order, then the others as they appear. */
  public Set<IndexVar> variables() {
    Set<IndexVar> all = new LinkedHashSet<>(target.variables());
    all.addAll(value.allVariables());
    return all;
  }

  public boolean isReduction(IndexVar variable) {
    return !target.variables().contains(variable);
  }

  /** {@code M(j,r) = sum_i(sum_k(T(i,j,k) * F2(k,r)) * F0(i,r))}. */
  @Override
  public String toString() {
    return target + (accumulate ? " += " : " = ") + value;
  }
}
