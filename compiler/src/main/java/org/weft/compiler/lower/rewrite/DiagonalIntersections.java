package org.weft.compiler.lower.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * Repeated labels as intersections with a diagonal:
 *
 * <pre>
 * A(i,i)        becomes   sum_i'(A(i,i') where I(i,i'))
 * B(i,i) = e    becomes   B(i,i') = e where I(i,i')
 * </pre>
 *
 * The diagonal I is a tensor without arrays: a dense level and below it, at each position, the one
 * coordinate that equals the position. Loops merge it like any other operand. It has the type of
 * the tensor that it is of, so that the statement's type stays what it is.
 */
public final class DiagonalIntersections {
  private final Map<IndexVar, Long> sizes;
  private final Set<IndexVar> variables;
  private int accesses;
  private int diagonals;

  private DiagonalIntersections(TensorAssignment assignment) {
    sizes = new HashMap<>(assignment.constantSizes());
    variables = new HashSet<>(assignment.variables());
    variables.addAll(assignment.value().allVariables());
    accesses = assignment.target().id() + 1;
    for (TensorExpr.Access access : assignment.value().accesses()) {
      accesses = Math.max(accesses, access.id() + 1);
    }
  }

  /** {@code assignment} with distinct labels in every access. */
  public static TensorAssignment of(TensorAssignment assignment) {
    DiagonalIntersections rewrite = new DiagonalIntersections(assignment);
    TensorExpr value = rewrite.operands(assignment.value());
    List<TensorExpr> factors = new ArrayList<>();
    TensorExpr.Access target = rewrite.distinct(assignment.target(), new ArrayList<>(), factors);
    factors.add(0, value);
    return new TensorAssignment(
        target,
        assignment.accumulate(),
        factors.size() == 1 ? value : new TensorExpr.Product(Operator.FIRST, factors),
        assignment.mask(),
        rewrite.sizes);
  }

  /** The tensor variable of diagonals; {@code Tensors} gives it levels. */
  public static boolean isDiagonal(TensorVar tensor) {
    return tensor.kind() == TensorVar.Kind.DIAGONAL;
  }

  /** Whether an expression is an operand with a repeated label, as {@link #of} writes it. */
  public static boolean isOperand(TensorExpr expr) {
    if (expr instanceof TensorExpr.Reduce reduce) {
      return isOperand(reduce.body());
    }
    return expr instanceof TensorExpr.Product product
        && product.operator() == Operator.FIRST
        && product.factors().stream()
            .skip(1)
            .allMatch(f -> f instanceof TensorExpr.Access access && isDiagonal(access.tensor()));
  }

  private TensorExpr operands(TensorExpr expr) {
    if (!(expr instanceof TensorExpr.Access access)) {
      return expr.mapChildren(this::operands);
    }
    List<IndexVar> added = new ArrayList<>();
    List<TensorExpr> factors = new ArrayList<>();
    TensorExpr.Access renamed = distinct(access, added, factors);
    if (added.isEmpty()) {
      return access;
    }
    factors.add(0, renamed);
    TensorExpr result = new TensorExpr.Product(Operator.FIRST, factors);
    for (IndexVar variable : added) {
      result = new TensorExpr.Reduce(variable, result);
    }
    return result;
  }

  /** Renames repetitions, the outermost stored one excepted, and adds a diagonal for each. */
  private TensorExpr.Access distinct(
      TensorExpr.Access access, List<IndexVar> added, List<TensorExpr> factors) {
    TensorFormat format = access.tensor().format();
    int[] modes =
        format.isOrdinary() ? format.modeOrder() : IntStream.range(0, format.order()).toArray();
    IndexVar[] renamed = access.variables().toArray(IndexVar[]::new);
    Set<IndexVar> seen = new HashSet<>();
    for (int mode : modes) {
      IndexVar variable = renamed[mode];
      if (!seen.add(variable)) {
        renamed[mode] = fresh(variable);
        added.add(renamed[mode]);
        factors.add(diagonal(variable, renamed[mode], access));
      }
    }
    return added.isEmpty()
        ? access
        : new TensorExpr.Access(access.id(), access.tensor(), List.of(renamed), access.span());
  }

  private IndexVar fresh(IndexVar variable) {
    IndexVar copy = variable;
    for (int number = 2; !variables.add(copy); number++) {
      copy = new IndexVar(variable.name() + "_" + number);
    }
    Long size = sizes.get(variable);
    if (size != null) {
      sizes.put(copy, size);
    }
    return copy;
  }

  private TensorExpr diagonal(IndexVar row, IndexVar column, TensorExpr.Access origin) {
    diagonals++;
    ValueType type = origin.tensor().format().valueType();
    TensorFormat format =
        new TensorFormat(List.of(LevelSpec.of("D"), LevelSpec.of("S")), new int[] {0, 1}, type);
    TensorVar tensor = new TensorVar("I_" + diagonals, format, TensorVar.Kind.DIAGONAL);
    return new TensorExpr.Access(accesses++, tensor, List.of(row, column), origin.span());
  }
}
