package org.weft.jobs.codesign;

import java.util.LinkedHashSet;
import java.util.Set;
import org.weft.compiler.lang.Syntax;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.bench.RandomStatement;

/**
 * A contraction of two tensors as {@code batch} products of an {@code m x k} and a {@code k x n}
 * matrix: labels of the result and the left operand, of the result and the right operand, and of
 * both operands.
 *
 * @param name for people
 */
public record MatrixProduct(String name, double m, double n, double k, double batch) {

  /** The product that {@code statement} is. */
  public static MatrixProduct of(RandomStatement statement) {
    Syntax value = statement.statement().value();
    if (!(value instanceof Syntax.Operation operation)
        || operation.operator() != Syntax.Operator.MULTIPLY
        || !(operation.left() instanceof Syntax.Access left)
        || !(operation.right() instanceof Syntax.Access right)) {
      throw new WeftException(
          ErrorCode.USAGE, "expected a product of two tensors, found " + statement.text());
    }
    Set<String> target = labels(statement.statement().target());
    Set<String> inLeft = labels(left);
    Set<String> inRight = labels(right);
    double[] groups = {1, 1, 1, 1};
    statement
        .sizes()
        .forEach(
            (label, size) -> {
              boolean both = inLeft.contains(label) && inRight.contains(label);
              boolean kept = target.contains(label);
              groups[!both ? inLeft.contains(label) ? 0 : 1 : kept ? 3 : 2] *= size;
            });
    String name = statement.name().isEmpty() ? statement.text() : statement.name();
    return new MatrixProduct(name, groups[0], groups[1], groups[2], groups[3]);
  }

  private static Set<String> labels(Syntax.Access access) {
    Set<String> labels = new LinkedHashSet<>();
    access.labels().forEach(label -> labels.add(label.name()));
    return labels;
  }

  /** Floating-point operations; a multiply-add is two. */
  double flops() {
    return 2 * batch * m * n * k;
  }
}
