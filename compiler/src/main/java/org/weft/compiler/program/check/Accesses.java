package org.weft.compiler.program.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.weft.compiler.lang.Mask;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;

/** The accesses of an expression, and expressions with other accesses. */
public final class Accesses {
  private Accesses() {}

  /** Every access of {@code expression}, left to right. */
  public static List<Syntax.Access> of(Syntax expression) {
    List<Syntax.Access> found = new ArrayList<>();
    collect(expression, found);
    return found;
  }

  private static void collect(Syntax expression, List<Syntax.Access> found) {
    if (expression instanceof Syntax.Access access) {
      found.add(access);
    }
    expression.children().forEach(child -> collect(child, found));
  }

  /** The accesses of the right side, then that of the mask if there is one. */
  public static List<Syntax.Access> operands(Statement statement) {
    List<Syntax.Access> found = of(statement.value());
    if (statement.mask() != null) {
      found.add(statement.mask().tensor());
    }
    return found;
  }

  /**
   * A transposition alone on the right names the modes of the result, whatever labels the left side
   * has: {@code B[i,j] = transpose(A[i,j], {j,i})} is the transpose of A, as in COMET. The labels
   * of a mask follow those of the left side, on whose cells the mask lies.
   */
  public static Statement positional(Statement statement) {
    if (statement.value() instanceof Syntax.Transpose transpose
        && transpose.operand() instanceof Syntax.Access
        && transpose.labels().size() == statement.target().labels().size()) {
      Syntax.Access target = statement.target();
      return new Statement(
          new Syntax.Access(target.tensor(), transpose.labels(), target.span()),
          statement.mask() == null ? null : named(statement.mask(), target, transpose.labels()),
          statement.assignment(),
          statement.value());
    }
    return statement;
  }

  /** {@code mask} with the label of {@code labels} for each label of {@code target}. */
  private static Mask named(Mask mask, Syntax.Access target, List<Syntax.Label> labels) {
    Map<String, Syntax.Label> names = new HashMap<>();
    for (int mode = 0; mode < labels.size(); mode++) {
      names.putIfAbsent(target.labels().get(mode).name(), labels.get(mode));
    }
    Syntax.Access tensor = mask.tensor();
    List<Syntax.Label> named =
        tensor.labels().stream().map(label -> names.getOrDefault(label.name(), label)).toList();
    return new Mask(
        new Syntax.Access(tensor.tensor(), named, tensor.span()), mask.strategy(), mask.span());
  }

  /** Whether {@code expression} is a scalar: every access of a mode is inside a {@code SUM}. */
  public static boolean isScalar(Syntax expression) {
    if (expression instanceof Syntax.Access access) {
      return access.labels().isEmpty();
    }
    return expression instanceof Syntax.Sum
        || expression.children().stream().allMatch(Accesses::isScalar);
  }

  /** {@code expression} with every access replaced. */
  public static Syntax map(Syntax expression, Function<Syntax.Access, Syntax> replacement) {
    if (expression instanceof Syntax.Access e) {
      return replacement.apply(e);
    } else if (expression instanceof Syntax.Negation e) {
      return new Syntax.Negation(map(e.operand(), replacement), e.span());
    } else if (expression instanceof Syntax.Operation e) {
      return new Syntax.Operation(
          e.operator(), map(e.left(), replacement), map(e.right(), replacement), e.span());
    } else if (expression instanceof Syntax.Semiring e) {
      return new Syntax.Semiring(
          map(e.left(), replacement), e.add(), e.multiply(), map(e.right(), replacement), e.span());
    } else if (expression instanceof Syntax.Monoid e) {
      return new Syntax.Monoid(
          map(e.left(), replacement), e.operator(), map(e.right(), replacement), e.span());
    } else if (expression instanceof Syntax.Transpose e) {
      return new Syntax.Transpose(map(e.operand(), replacement), e.labels(), e.span());
    } else if (expression instanceof Syntax.Call e) {
      List<Syntax> arguments = e.arguments().stream().map(a -> map(a, replacement)).toList();
      return new Syntax.Call(e.function(), arguments, e.span());
    } else if (expression instanceof Syntax.Reduction e) {
      return new Syntax.Reduction(e.label(), map(e.body(), replacement), e.span());
    } else if (expression instanceof Syntax.Sum e) {
      return new Syntax.Sum(map(e.body(), replacement), e.span());
    }
    return expression;
  }
}
