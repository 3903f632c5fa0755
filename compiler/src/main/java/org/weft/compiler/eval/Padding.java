package org.weft.compiler.eval;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.algebra.AlgebraBuilder;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Statement;
import org.weft.tensor.TensorFormat;

/**
 * Finds the operands whose zeros would show. A format that {@linkplain TensorFormat#pads pads}
 * fills blocks, diagonals or fibers up with zeros, which are no entries. A sum of products does not
 * tell them from absent cells where the result is full or pads too. A sparse result would store
 * them, a mask would let their cells pass, and an operator such as {@code min} would combine them.
 */
public final class Padding {
  private final Set<Integer> shown = new HashSet<>();

  private Padding() {}

  /**
   * Whether {@code statement} would mean something else where its tensors have {@code formats}.
   *
   * @param formats of all operands and the result, by name
   */
  public static boolean shows(Statement statement, Map<String, TensorFormat> formats) {
    Diagnostics diagnostics = new Diagnostics();
    TensorAssignment algebra = AlgebraBuilder.build(statement, formats, Map.of(), diagnostics);
    diagnostics.throwIfErrors();
    return !shown(algebra).isEmpty();
  }

  /**
   * The ids of the accesses of {@code assignment} to operands without whose zeros it means more.
   */
  static Set<Integer> shown(TensorAssignment assignment) {
    TensorFormat result = assignment.target().tensor().format();
    Padding padding = new Padding();
    padding.visit(assignment.value(), !result.isDense() && !result.pads());
    return padding.shown;
  }

  /**
   * @param shows whether a zero of {@code expr} differs from an absent cell
   */
  private void visit(TensorExpr expr, boolean shows) {
    if (expr instanceof TensorExpr.Access access) {
      if (shows && access.tensor().format().pads()) {
        shown.add(access.id());
      }
    } else if (expr instanceof TensorExpr.Product product) {
      visitProduct(product, shows);
    } else {
      boolean changed =
          expr instanceof TensorExpr.Sum sum && sum.operator() != Operator.PLUS
              || expr instanceof TensorExpr.Reduce reduce && reduce.operator() != Operator.PLUS;
      expr.children().forEach(child -> visit(child, shows || changed));
    }
  }

  /** The presence of an operand counts beside the value of another one. */
  private void visitProduct(TensorExpr.Product product, boolean shows) {
    for (int at = 0; at < product.factors().size(); at++) {
      boolean changed =
          switch (product.operator()) {
            case TIMES -> false;
            case DIVIDE -> !isNumberButZero(product.factors().get(product.factors().size() - 1));
            case FIRST -> at > 0;
            case SECOND -> at < product.factors().size() - 1;
            default -> true;
          };
      visit(product.factors().get(at), shows || changed);
    }
  }

  private static boolean isNumberButZero(TensorExpr expr) {
    return expr instanceof TensorExpr.Literal literal && literal.value().doubleValue() != 0;
  }
}
