package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * {@code sum_v(a * b) = a * sum_v(b)} where {@code a} does not use {@code v}: the factored
 * multiplication of MTTKRP, {@code sum_j(C(j,r) * sum_k(B(i,j,k) * D(k,r)))}.
 *
 * <p>Side conditions. Reductions are nested in loop order, the innermost loop innermost. When the
 * inner reduction keeps free variables whose loops come after {@code v}, its value needs a
 * workspace over them: the law is used only if {@code denseAfter} holds of every such variable in
 * every factor of {@code b}, and if {@code a} uses one of them (otherwise multiplying the partial
 * result costs more than multiplying the stored values).
 */
public final class DistributeReduction implements RewriteRule {

  /** What the rule has to know of loops and formats. */
  public interface Loops {
    /** Whether the loop over {@code inner} runs inside the loop over {@code outer}. */
    boolean isInside(IndexVar inner, IndexVar outer);

    /** Whether every level of {@code access} that {@code variable} labels is random access. */
    boolean isDense(TensorExpr.Access access, IndexVar variable);
  }

  private final Loops loops;

  public DistributeReduction(Loops loops) {
    this.loops = loops;
  }

  @Override
  public TensorExpr apply(TensorExpr expr) {
    if (!(expr instanceof TensorExpr.Reduce reduce)) {
      return expr;
    }
    if (reduce.body() instanceof TensorExpr.Reduce inner
        && loops.isInside(reduce.variable(), inner.variable())) {
      return new TensorExpr.Reduce(
          inner.variable(), new TensorExpr.Reduce(reduce.variable(), inner.body()));
    }
    boolean negative = reduce.body() instanceof TensorExpr.Negate;
    TensorExpr body =
        reduce.body() instanceof TensorExpr.Negate negate ? negate.operand() : reduce.body();
    if (!(body instanceof TensorExpr.Product product)) {
      return expr;
    }
    TensorExpr factored = factor(reduce.variable(), product);
    return factored == null ? expr : negative ? new TensorExpr.Negate(factored) : factored;
  }

  private @Nullable TensorExpr factor(IndexVar variable, TensorExpr.Product product) {
    Predicate<TensorExpr> uses = factor -> factor.uses(variable);
    List<TensorExpr> inner = product.factors().stream().filter(uses).toList();
    List<TensorExpr> outer = new ArrayList<>(product.factors());
    outer.removeAll(inner);
    if (outer.isEmpty() || inner.isEmpty() || !pays(variable, inner, outer)) {
      return null;
    }
    outer.add(
        new TensorExpr.Reduce(
            variable, inner.size() == 1 ? inner.get(0) : new TensorExpr.Product(inner)));
    return new TensorExpr.Product(outer);
  }

  private boolean pays(IndexVar variable, List<TensorExpr> inner, List<TensorExpr> outer) {
    List<IndexVar> later =
        inner.stream()
            .flatMap(factor -> factor.freeVariables().stream())
            .distinct()
            .filter(v -> loops.isInside(v, variable))
            .toList();
    boolean dense =
        inner.stream()
            .flatMap(factor -> factor.accesses().stream())
            .allMatch(
                access ->
                    later.stream()
                        .filter(access.variables()::contains)
                        .allMatch(v -> loops.isDense(access, v)));
    return later.isEmpty()
        || dense && outer.stream().anyMatch(factor -> later.stream().anyMatch(factor::uses));
  }
}
