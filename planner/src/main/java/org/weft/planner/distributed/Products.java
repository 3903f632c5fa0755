package org.weft.planner.distributed;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.eval.OperandOutline;
import org.weft.compiler.eval.StatementAlgebra;

/**
 * How many numbers a statement computes before it reduces them, and in how many cells of the result
 * they end, if entries are spread evenly.
 */
final class Products {
  private Products() {}

  /**
   * Entries that one of {@code parts} makes, each of which has its share of the products.
   *
   * @param kept parts of the labels that the result has, so that a part has fewer cells
   */
  static double madeByPart(StatementAlgebra algebra, double products, int parts, int kept) {
    double points = 1; // at which there may be a product
    for (IndexVar label : algebra.assignment().variables()) {
      points *= Math.max(1, algebra.sizes().getOrDefault(label.name(), 1L));
    }
    double cells = Math.max(1, algebra.resultShape().cells() / kept);
    double pointsOfCell = points / parts / cells;
    double without = pointsOfCell * Math.log1p(-Math.min(1, products / points));
    return Math.min(algebra.resultEntries() / kept, cells * -Math.expm1(without));
  }

  /**
   * Of a sum, those of its terms; of a product, the coordinates at which all factors have entries.
   */
  static double count(StatementAlgebra algebra, TensorExpr expr) {
    if (expr instanceof TensorExpr.Sum sum) {
      return sum.terms().stream().mapToDouble(term -> count(algebra, term)).sum();
    } else if (expr instanceof TensorExpr.Reduce reduce) {
      return count(algebra, reduce.body());
    } else if (expr instanceof TensorExpr.Negate negate) {
      return count(algebra, negate.operand());
    }
    double products = 1;
    Map<IndexVar, Integer> uses = new HashMap<>();
    for (TensorExpr.Access access : expr.accesses()) {
      String name = access.tensor().name();
      OperandOutline operand = Objects.requireNonNull(algebra.operands().get(name), name);
      products *= operand.entries();
      access.variables().stream().distinct().forEach(v -> uses.merge(v, 1, Integer::sum));
    }
    for (Map.Entry<IndexVar, Integer> use : uses.entrySet()) {
      long size = Math.max(1, algebra.sizes().getOrDefault(use.getKey().name(), 1L));
      products /= Math.pow(size, use.getValue() - 1);
    }
    return products;
  }
}
