package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code reduce_v(a * b) = a * reduce_v(b)} where {@code a} does not use {@code v} and the
 * product's operator distributes over the reducer: the factored multiplication of MTTKRP, {@code
 * sum_j(C(j,r) * sum_k(B(i,j,k) * D(k,r)))}.
 *
 * <p>Side conditions. Reductions with one operator are nested in loop order, the innermost loop
 * innermost. When the inner reduction keeps free variables whose loops come after {@code v}, its
 * value needs a workspace over them: the law is used only if every such variable has random access
 * in every factor of {@code b}, and if {@code a} uses one of them (otherwise multiplying the
 * partial result costs more than multiplying the stored values).
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
  private final boolean integers;

  /**
   * The rule for one loop order.
   *
   * @param integers whether the statement computes in integers
   */
  public DistributeReduction(Loops loops, boolean integers) {
    this.loops = loops;
    this.integers = integers;
  }

  @Override
  public TensorExpr apply(TensorExpr expr) {
    if (!(expr instanceof TensorExpr.Reduce reduce)) {
      return expr;
    }
    if (reduce.body() instanceof TensorExpr.Reduce inner
        && inner.operator() == reduce.operator()
        && loops.isInside(reduce.variable(), inner.variable())) {
      return inner.of(reduce.of(inner.body()));
    }
    boolean signed = reduce.operator() == Operator.PLUS || reduce.operator() == Operator.ANY;
    boolean negative = signed && reduce.body() instanceof TensorExpr.Negate;
    TensorExpr body =
        negative && reduce.body() instanceof TensorExpr.Negate negate
            ? negate.operand()
            : reduce.body();
    if (!(body instanceof TensorExpr.Product product)) {
      return expr;
    }
    TensorExpr factored = factor(reduce, product);
    return factored == null ? expr : negative ? new TensorExpr.Negate(factored) : factored;
  }

  private @Nullable TensorExpr factor(TensorExpr.Reduce reduce, TensorExpr.Product product) {
    Operator operator = product.operator();
    List<TensorExpr> inner = new ArrayList<>();
    List<TensorExpr> outer = new ArrayList<>();
    int at = -1;
    for (TensorExpr factor : product.factors()) {
      if (factor.uses(reduce.variable())) {
        at = inner.isEmpty() ? outer.size() : at;
        inner.add(factor);
      } else {
        outer.add(factor);
      }
    }
    if (outer.isEmpty() || inner.isEmpty() || !isTogether(product, inner)) {
      return null;
    }
    int place = operator.isCommutative() ? outer.size() : at;
    boolean law =
        operator.isAssociative()
            && operator.distributesOver(reduce.operator(), place, outer.size() + 1, integers);
    if (!law || !pays(reduce.variable(), inner, outer)) {
      return null;
    }
    TensorExpr part = inner.size() == 1 ? inner.get(0) : new TensorExpr.Product(operator, inner);
    outer.add(place, reduce.of(part));
    return new TensorExpr.Product(operator, outer);
  }

  /** Whether grouping {@code inner} keeps the order of factors, where the order matters. */
  private static boolean isTogether(TensorExpr.Product product, List<TensorExpr> inner) {
    if (product.operator().isCommutative()) {
      return true;
    }
    int first = product.factors().indexOf(inner.get(0));
    return product.factors().subList(first, first + inner.size()).equals(inner);
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
