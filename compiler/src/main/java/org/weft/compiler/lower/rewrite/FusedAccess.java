package org.weft.compiler.lower.rewrite;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.level.LevelCapability;

/**
 * An access some of whose levels one loop iterates together (Chou et al., section 4.5): a level and
 * the branchless levels below it.
 *
 * <p>Legal where the expression is one product with {@code *} under its sums, so that nothing but a
 * sum depends on when a value arrives; all other operands have random access along the fused
 * variables; the loops of these variables follow each other; and the result can be updated in
 * place.
 */
public record FusedAccess(TensorExpr.Access access, int first, int last) {

  /** The variables that the fused loop binds, outermost first. */
  public List<IndexVar> variables() {
    return java.util.stream.IntStream.rangeClosed(first, last)
        .mapToObj(access::variableAt)
        .toList();
  }

  /** The access to fuse, or null. */
  public static @Nullable FusedAccess find(TensorAssignment assignment, List<IndexVar> loops) {
    return assignment.target().tensor().format().isInsertable()
        ? in(assignment.value(), loops)
        : null;
  }

  /** The access of {@code value} to fuse where results may come in any order, or null. */
  public static @Nullable FusedAccess in(TensorExpr value, List<IndexVar> loops) {
    TensorExpr product = value;
    while (product instanceof TensorExpr.Reduce reduce && reduce.operator() == Operator.PLUS
        || product instanceof TensorExpr.Negate) {
      product = product.children().get(0);
    }
    List<TensorExpr> factors =
        TensorExpr.Product.isTimes(product) ? product.children() : List.of(product);
    if (!factors.stream()
        .allMatch(f -> f instanceof TensorExpr.Access || f instanceof TensorExpr.Literal)) {
      return null;
    }
    for (TensorExpr factor : factors) {
      FusedAccess fused = factor instanceof TensorExpr.Access access ? chain(access) : null;
      if (fused != null && fused.isLegal(product.accesses(), loops)) {
        return fused;
      }
    }
    return null;
  }

  /** The first level with branchless levels below it, and the last of these. */
  private static @Nullable FusedAccess chain(TensorExpr.Access access) {
    TensorFormat format = access.tensor().format();
    for (int first = 0; first < format.order(); first++) {
      LevelSpec level = format.level(first);
      if (level.format().capabilities().contains(LevelCapability.POSITION_ITERATION)
          || !level.properties().full()) {
        int last = first;
        while (last + 1 < format.order() && format.level(last + 1).properties().branchless()) {
          last++;
        }
        if (last > first || !level.properties().unique()) {
          return new FusedAccess(access, first, last);
        }
      }
    }
    return null;
  }

  private boolean isLegal(List<TensorExpr.Access> accesses, List<IndexVar> loops) {
    List<IndexVar> fused = variables();
    int start = loops.indexOf(fused.get(0));
    if (start + fused.size() > loops.size()
        || !loops.subList(start, start + fused.size()).equals(fused)) {
      return false;
    }
    return accesses.stream()
        .filter(other -> other.id() != access.id())
        .allMatch(other -> isRandom(other, fused));
  }

  private static boolean isRandom(TensorExpr.Access access, List<IndexVar> variables) {
    TensorFormat format = access.tensor().format();
    for (int level = 0; level < format.order(); level++) {
      LevelSpec spec = format.level(level);
      boolean random =
          spec.properties().full() && spec.format().capabilities().contains(LevelCapability.LOCATE);
      if (!random && variables.contains(access.variableAt(level))) {
        return false;
      }
    }
    return true;
  }
}
