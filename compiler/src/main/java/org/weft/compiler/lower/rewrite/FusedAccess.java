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
 * <p>Legal where nothing but a sum with {@code +} depends on when a value arrives: what is summed
 * is present only where the access is; all other operands have random access along the fused
 * variables; the loops of these variables follow each other; and the result can be updated in
 * place. If what is summed is more than a product with {@code *}, then no coordinate may repeat in
 * the last level, and sums and functions inside it must depend on that level, so that the loop
 * computes none of them more often than separate loops would.
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
    for (TensorExpr.Access access : needed(product)) {
      FusedAccess fused = chain(access);
      if (fused != null
          && (isLinear(product) || fused.isOncePerEntry(product))
          && fused.isLegal(product.accesses(), loops)) {
        return fused;
      }
    }
    return null;
  }

  /** The accesses without whose entries {@code expr} is absent. */
  private static List<TensorExpr.Access> needed(TensorExpr expr) {
    if (expr instanceof TensorExpr.Access access) {
      return List.of(access);
    }
    return expr instanceof TensorExpr.Product || expr instanceof TensorExpr.Negate
        ? expr.children().stream().flatMap(child -> needed(child).stream()).toList()
        : List.of();
  }

  private static boolean isLinear(TensorExpr product) {
    List<TensorExpr> factors =
        TensorExpr.Product.isTimes(product) ? product.children() : List.of(product);
    return factors.stream()
        .allMatch(f -> f instanceof TensorExpr.Access || f instanceof TensorExpr.Literal);
  }

  private boolean isOncePerEntry(TensorExpr expr) {
    IndexVar innermost = access.variableAt(last);
    return access.tensor().format().level(last).properties().unique()
        && variables().stream().noneMatch(expr.reducedVariables()::contains)
        && dependsOn(innermost, expr);
  }

  /** Whether all sums and functions inside {@code expr} depend on {@code variable}. */
  private static boolean dependsOn(IndexVar variable, TensorExpr expr) {
    boolean costly = expr instanceof TensorExpr.Reduce || expr instanceof TensorExpr.Apply;
    return (!costly || expr.uses(variable))
        && expr.children().stream().allMatch(child -> dependsOn(variable, child));
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
