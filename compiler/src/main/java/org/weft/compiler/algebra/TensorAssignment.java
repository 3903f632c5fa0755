package org.weft.compiler.algebra;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.ValueType;

/**
 * A checked statement.
 *
 * @param accumulate whether the value is added to the result ({@code +=}; {@code -=} adds the
 *     negated value)
 * @param mask the mask of the result, which is also a factor of {@code value}; or null
 * @param constantSizes index variables whose size is known when compiling
 */
public record TensorAssignment(
    TensorExpr.Access target,
    boolean accumulate,
    TensorExpr value,
    @Nullable TensorMask mask,
    Map<IndexVar, Long> constantSizes) {
  public TensorAssignment {
    constantSizes = Map.copyOf(constantSizes);
  }

  /** A statement without a mask. */
  public TensorAssignment(
      TensorExpr.Access target,
      boolean accumulate,
      TensorExpr value,
      Map<IndexVar, Long> constantSizes) {
    this(target, accumulate, value, null, constantSizes);
  }

  public TensorAssignment withValue(TensorExpr changed) {
    return new TensorAssignment(target, accumulate, changed, mask, constantSizes);
  }

  /** The same statement with the negated value: absent cells stay absent. */
  public TensorAssignment negated() {
    return withValue(RewriteRule.rewrite(new TensorExpr.Negate(value), new PropagateZero()));
  }

  public TensorAssignment withMask(@Nullable TensorMask changed) {
    return new TensorAssignment(target, accumulate, value, changed, constantSizes);
  }

  /** The same statement, of which other sizes are known when compiling. */
  public TensorAssignment withConstantSizes(Map<IndexVar, Long> changed) {
    return new TensorAssignment(target, accumulate, value, mask, changed);
  }

  /** The type that the statement computes in. */
  public ValueType type() {
    return StatementType.of(target, value);
  }

  /** Whether the statement computes in integers. */
  public boolean isInteger() {
    return StatementType.isInteger(type());
  }

  /** The same value assigned to {@code changed}. */
  public TensorAssignment assignedTo(TensorExpr.Access changed) {
    return new TensorAssignment(changed, false, value, mask, constantSizes);
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
