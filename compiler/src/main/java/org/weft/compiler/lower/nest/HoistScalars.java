package org.weft.compiler.lower.nest;

import java.util.ArrayList;
import java.util.List;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.RewriteRule;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.lower.merge.Iteration;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Presence;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.Values;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * {@code a * b * c = s * c} with {@code s = a * b} computed before the loop, where {@code a} and
 * {@code b} are known there: two factors or more without open variables. Reassociates, like every
 * factoring of a product. Any commutative operator will do.
 */
final class HoistScalars implements RewriteRule {
  private final KernelTensors tensors;
  private final Values values;
  private final Iteration iteration;
  private final Code code;
  private Scope scope;

  HoistScalars(KernelTensors tensors, Values values, Iteration iteration, Scope scope, Code code) {
    this.tensors = tensors;
    this.values = values;
    this.iteration = iteration;
    this.scope = scope;
    this.code = code;
  }

  /** The scope in which the hoisted scalars have values. */
  Scope scope() {
    return scope;
  }

  @Override
  public TensorExpr apply(TensorExpr expr) {
    if (!(expr instanceof TensorExpr.Product product)
        || !product.operator().isCommutative()
        || product.operator() == Operator.PAIR) {
      return expr;
    }
    List<TensorExpr> known = product.factors().stream().filter(this::isKnown).toList();
    if (known.size() < 2 || known.size() == product.factors().size()) {
      return expr;
    }
    TensorExpr part = new TensorExpr.Product(product.operator(), known);
    Expr value = Expr.of(code.declare("s", values.of(part, scope)));
    TensorExpr.Access scalar = scalar(tensors, known.get(0));
    scope = scope.withValue(scalar.id(), value, Presence.of(part, scope));
    List<TensorExpr> factors = new ArrayList<>(product.factors());
    factors.removeAll(known);
    factors.add(0, scalar);
    return new TensorExpr.Product(product.operator(), factors);
  }

  private boolean isKnown(TensorExpr factor) {
    return factor instanceof TensorExpr.Literal
        || factor instanceof TensorExpr.Access access && iteration.isResolved(access, scope);
  }

  /** A scalar temporary, whose value a scope holds. */
  static TensorExpr.Access scalar(KernelTensors tensors, TensorExpr origin) {
    int id = tensors.freshAccessId();
    TensorFormat format = TensorFormat.dense(0, ValueType.DOUBLE);
    TensorVar variable = new TensorVar("s" + id, format, TensorVar.Kind.TEMPORARY);
    return new TensorExpr.Access(id, variable, List.of(), Temporaries.spanOf(origin));
  }
}
