package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code reduce_v(reduce_w(a * b)) = reduce_v(a) * reduce_w(b)} where {@code a} does not use {@code
 * w} and {@code b} does not use {@code v}: factors that share no reduced variable, directly or
 * through other factors, are reduced apart. One nest over all of them would take as many iterations
 * as the product of both. So are factors that share no variable at all with the others.
 *
 * <p>Side condition: the product's operator is commutative, associative and distributes over the
 * reducer ({@link Operator#distributesOver}).
 *
 * @param integers whether the statement computes in integers
 */
public record SplitReduction(boolean integers) implements RewriteRule {
  @Override
  public TensorExpr apply(TensorExpr expr) {
    List<TensorExpr.Reduce> chain = new ArrayList<>();
    TensorExpr body = expr;
    while (body instanceof TensorExpr.Reduce reduce
        && (chain.isEmpty() || reduce.operator() == chain.get(0).operator())) {
      chain.add(reduce);
      body = reduce.body();
    }
    if (chain.isEmpty()) {
      return expr;
    }
    Operator reducer = chain.get(0).operator();
    boolean signed = reducer == Operator.PLUS || reducer == Operator.ANY;
    if (signed && body instanceof TensorExpr.Negate negate) {
      TensorExpr split = split(chain, negate.operand());
      return split == null ? expr : new TensorExpr.Negate(split);
    }
    TensorExpr split = split(chain, body);
    return split == null ? expr : split;
  }

  private @Nullable TensorExpr split(List<TensorExpr.Reduce> chain, TensorExpr body) {
    if (!(body instanceof TensorExpr.Product product) || !isLegal(chain.get(0), product)) {
      return null;
    }
    List<TensorExpr> rest = new ArrayList<>(product.factors());
    List<TensorExpr> parts = new ArrayList<>();
    for (TensorExpr.Reduce reduce : chain) {
      List<TensorExpr> together = connected(rest, reduce.variable(), chain);
      rest.removeAll(together);
      if (!together.isEmpty()) {
        parts.add(reduced(chain, together, product.operator()));
      }
    }
    boolean alone =
        parts.size() == 1
            && !rest.isEmpty()
            && parts.get(0).freeVariables().stream()
                .noneMatch(variable -> rest.stream().anyMatch(factor -> factor.uses(variable)));
    if (parts.size() < 2 && !alone) {
      return null;
    }
    rest.addAll(parts);
    return new TensorExpr.Product(product.operator(), rest);
  }

  private boolean isLegal(TensorExpr.Reduce reduce, TensorExpr.Product product) {
    Operator operator = product.operator();
    int factors = product.factors().size();
    return operator.isCommutative()
        && operator.isAssociative()
        && IntStream.range(0, factors)
            .allMatch(at -> operator.distributesOver(reduce.operator(), at, factors, integers));
  }

  /**
   * Those of {@code factors} that use {@code start} or share reduced variables with such. A factor
   * that occurs twice is found twice.
   */
  private static List<TensorExpr> connected(
      List<TensorExpr> factors, IndexVar start, List<TensorExpr.Reduce> chain) {
    Set<IndexVar> shared = new LinkedHashSet<>(Set.of(start));
    boolean grew = true;
    while (grew) {
      grew = false;
      for (TensorExpr factor : factors) {
        if (shared.stream().anyMatch(factor::uses)) {
          grew |= shared.addAll(reducedIn(factor, chain));
        }
      }
    }
    return factors.stream().filter(factor -> shared.stream().anyMatch(factor::uses)).toList();
  }

  private static List<IndexVar> reducedIn(TensorExpr factor, List<TensorExpr.Reduce> chain) {
    return chain.stream().map(reduce -> reduce.variable()).filter(factor::uses).toList();
  }

  private static TensorExpr reduced(
      List<TensorExpr.Reduce> chain, List<TensorExpr> factors, Operator operator) {
    TensorExpr part =
        factors.size() == 1 ? factors.get(0) : new TensorExpr.Product(operator, factors);
    for (int number = chain.size() - 1; number >= 0; number--) {
      TensorExpr.Reduce reduce = chain.get(number);
      part = factors.stream().anyMatch(f -> f.uses(reduce.variable())) ? reduce.of(part) : part;
    }
    return part;
  }
}
