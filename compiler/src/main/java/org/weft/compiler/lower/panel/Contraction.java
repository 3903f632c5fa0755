package org.weft.compiler.lower.panel;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.tensor.TensorFormat;

/**
 * A statement {@code C(m.., n..) = A(m.., k..) * B(k.., n..)} over dense tensors, whatever the
 * order of the labels: each label belongs to one of four groups by the tensors that have it.
 *
 * <pre>
 * wide    result and the operand that has the result's last label: runs along vector lanes
 * high    result and the other operand
 * depth   both operands, not the result: summed
 * batch   all three
 * </pre>
 *
 * @param across the operand with the wide labels
 * @param down the operand with the high labels
 * @param wide in the order in which {@code across} stores them, or the result if it has more
 *     labels, but for the result's last label, which is last
 * @param high in the order in which {@code down} stores them, or the result if it has more labels
 * @param depth in the order in which {@code across} stores them if its last label is one, else in
 *     that of {@code down}
 * @param batch in the order in which the result stores them
 * @param multiply combines a value of each operand
 * @param reduce combines products; also the sum of a product that is not summed
 * @param factors literals that the products are multiplied with
 * @param negated whether the products are subtracted
 */
public record Contraction(
    TensorExpr.Access target,
    TensorExpr.Access across,
    TensorExpr.Access down,
    List<IndexVar> wide,
    List<IndexVar> high,
    List<IndexVar> depth,
    List<IndexVar> batch,
    Operator multiply,
    Operator reduce,
    List<TensorExpr.Literal> factors,
    boolean negated) {

  /** The contraction that a statement is; empty for any other statement. */
  public static Optional<Contraction> of(TensorAssignment statement) {
    boolean widens = statement.type() != statement.target().tensor().format().valueType();
    if (statement.mask() != null || widens) {
      return Optional.empty();
    }
    Shape shape = new Shape();
    boolean fits = shape.peel(statement.value()) && shape.operands.size() == 2;
    if (!fits || !shape.isLegal(statement.accumulate())) {
      return Optional.empty();
    }
    TensorExpr.Access first = shape.operands.get(0);
    TensorExpr.Access second = shape.operands.get(1);
    TensorExpr.Access target = statement.target();
    if (!isDense(target) || !isDense(first) || !isDense(second)) {
      return Optional.empty();
    }
    return grouped(target, first, second, shape);
  }

  /**
   * The same with {@code labels} of the wide and the high side fixed, as if all tensors had them.
   */
  public Contraction around(List<IndexVar> labels) {
    List<IndexVar> batches = new ArrayList<>(labels);
    batches.addAll(batch);
    return new Contraction(
        target,
        across,
        down,
        wide.stream().filter(label -> !labels.contains(label)).toList(),
        high.stream().filter(label -> !labels.contains(label)).toList(),
        depth,
        List.copyOf(batches),
        multiply,
        reduce,
        factors,
        negated);
  }

  /** The format in which a tensor of the product is a matrix of two groups of its labels. */
  public TensorFormat asMatrix(TensorExpr.Access access) {
    boolean isTarget = access.id() == target.id();
    List<IndexVar> labels = new ArrayList<>(isTarget ? high : depth);
    labels.addAll(access.id() == down.id() ? high : wide);
    int[] modes = labels.stream().mapToInt(label -> access.variables().indexOf(label)).toArray();
    return access.tensor().format().withModeOrder(modes);
  }

  /**
   * Whether the neighbours of {@code operand} are counts of successive runs of its side: of the
   * label before the last.
   */
  public boolean isCrossed(TensorExpr.Access operand) {
    return isCrossed(operand, operand == across ? wide : high);
  }

  /** Whether neighbours of the result are counts of successive runs of the wide side. */
  public boolean hasCrossedResult() {
    return isCrossed(target, wide);
  }

  private static boolean isCrossed(TensorExpr.Access access, List<IndexVar> labels) {
    return labels.size() > 1 && labels.indexOf(last(access)) == labels.size() - 2;
  }

  /**
   * The label of the wide side, none of the result's neighbours, along which the operand has
   * neighbours: vector lanes can run along it as well.
   */
  public Optional<IndexVar> otherLanes() {
    IndexVar last = last(across);
    boolean found = last != null && wide.indexOf(last) >= 0 && wide.indexOf(last) < wide.size() - 1;
    return found ? Optional.ofNullable(last) : Optional.empty();
  }

  /** The same with vector lanes along {@code lanes}, which are {@link #otherLanes}. */
  public Contraction withLanes(IndexVar lanes) {
    List<IndexVar> labels = new ArrayList<>(wide);
    labels.remove(lanes);
    labels.add(lanes);
    return new Contraction(
        target,
        across,
        down,
        List.copyOf(labels),
        high,
        depth,
        batch,
        multiply,
        reduce,
        factors,
        negated);
  }

  /** What surrounds the two operands. */
  private static final class Shape {
    private final List<TensorExpr.Access> operands = new ArrayList<>();
    private final List<TensorExpr.Literal> literals = new ArrayList<>();
    private @Nullable Operator multiply;
    private @Nullable Operator reduce;
    private boolean negated;

    /** Takes {@code expr} apart; whether it is made of reductions, products and signs alone. */
    private boolean peel(TensorExpr expr) {
      if (expr instanceof TensorExpr.Access access) {
        operands.add(access);
        return true;
      } else if (expr instanceof TensorExpr.Literal literal) {
        literals.add(literal);
        return true;
      } else if (expr instanceof TensorExpr.Negate negate) {
        negated = !negated;
        return peel(negate.operand());
      } else if (expr instanceof TensorExpr.Reduce reduction) {
        boolean same = reduce == null || reduce == reduction.operator();
        reduce = reduction.operator();
        return same && operands.isEmpty() && peel(reduction.body());
      } else if (expr instanceof TensorExpr.Product product) {
        boolean same = multiply == null || multiply == product.operator();
        multiply = product.operator();
        return same && product.factors().stream().allMatch(this::peel);
      }
      return false;
    }

    private boolean isLegal(boolean accumulate) {
      boolean usual = multiply == Operator.TIMES && (reduce == null || reduce == Operator.PLUS);
      boolean plain = literals.isEmpty() && !negated && !accumulate;
      boolean products =
          multiply == Operator.PLUS
              || multiply == Operator.TIMES
              || multiply == Operator.MIN
              || multiply == Operator.MAX;
      boolean sums = reduce == Operator.PLUS || reduce == Operator.MIN || reduce == Operator.MAX;
      return usual || plain && products && sums;
    }
  }

  /** Whether an access reads or writes an array, one label for each mode. */
  static boolean isDense(TensorExpr.Access access) {
    TensorFormat format = access.tensor().format();
    boolean stored =
        access.tensor().kind() == TensorVar.Kind.OPERAND
            || access.tensor().kind() == TensorVar.Kind.RESULT;
    return stored
        && format.equals(access.tensor().stored())
        && format.isOrdinary()
        && format.isDense()
        && new HashSet<>(access.variables()).size() == access.variables().size()
        && access.variables().stream().allMatch(v -> v.label().equals(v));
  }

  private static Optional<Contraction> grouped(
      TensorExpr.Access target, TensorExpr.Access first, TensorExpr.Access second, Shape shape) {
    List<IndexVar> ofFirst = new ArrayList<>();
    List<IndexVar> ofSecond = new ArrayList<>();
    List<IndexVar> batch = new ArrayList<>();
    boolean firstIsWide = false;
    for (IndexVar label : stored(target)) {
      boolean inFirst = first.variables().contains(label);
      boolean inSecond = second.variables().contains(label);
      if (!inFirst && !inSecond) {
        return Optional.empty();
      }
      (inFirst && inSecond ? batch : inFirst ? ofFirst : ofSecond).add(label);
      firstIsWide = inFirst && inSecond ? firstIsWide : inFirst;
    }
    List<IndexVar> firstDepth = depth(first, second, target);
    List<IndexVar> secondDepth = depth(second, first, target);
    boolean shared =
        firstDepth.size() + ofFirst.size() + batch.size() == first.variables().size()
            && secondDepth.size() + ofSecond.size() + batch.size() == second.variables().size();
    if (!shared || ofFirst.isEmpty() && ofSecond.isEmpty()) {
      return Optional.empty();
    }
    Operator reduce = shape.reduce == null ? Operator.PLUS : shape.reduce;
    Operator multiply = shape.multiply == null ? Operator.TIMES : shape.multiply;
    TensorExpr.Access across = firstIsWide ? first : second;
    TensorExpr.Access down = firstIsWide ? second : first;
    List<IndexVar> high = new ArrayList<>(order(down, target));
    high.retainAll(firstIsWide ? ofSecond : ofFirst);
    List<IndexVar> acrossDepth = firstIsWide ? firstDepth : secondDepth;
    List<IndexVar> downDepth = firstIsWide ? secondDepth : firstDepth;
    return Optional.of(
        new Contraction(
            target,
            across,
            down,
            wide(firstIsWide ? ofFirst : ofSecond, order(across, target)),
            List.copyOf(high),
            acrossDepth.contains(last(across)) ? acrossDepth : downDepth,
            List.copyOf(batch),
            multiply,
            reduce,
            List.copyOf(shape.literals),
            shape.negated));
  }

  /**
   * The order in which the labels that the result shares with {@code operand} are counted: that of
   * the tensor with more labels, which is the larger one where sizes are alike, so that its numbers
   * are met near each other.
   */
  private static List<IndexVar> order(TensorExpr.Access operand, TensorExpr.Access target) {
    boolean more = target.variables().size() > operand.variables().size();
    return stored(more ? target : operand);
  }

  /** The labels of the result that one operand alone has, the result's last one behind them. */
  private static List<IndexVar> wide(List<IndexVar> labels, List<IndexVar> order) {
    List<IndexVar> wide = new ArrayList<>(order);
    wide.retainAll(labels);
    if (!labels.isEmpty()) {
      IndexVar last = labels.get(labels.size() - 1);
      wide.remove(last);
      wide.add(last);
    }
    return List.copyOf(wide);
  }

  /** Labels of {@code access} that {@code other} has and the result has not, as stored. */
  private static List<IndexVar> depth(
      TensorExpr.Access access, TensorExpr.Access other, TensorExpr.Access target) {
    return stored(access).stream()
        .filter(label -> other.variables().contains(label) && !target.variables().contains(label))
        .toList();
  }

  /** The labels of an access in the order of the levels. */
  public static List<IndexVar> stored(TensorExpr.Access access) {
    List<IndexVar> labels = new ArrayList<>();
    for (int level = 0; level < access.tensor().format().levelCount(); level++) {
      labels.add(access.variableAt(level));
    }
    return labels;
  }

  /** The label whose values are next to each other in {@code access}; null for a scalar. */
  public static @Nullable IndexVar last(TensorExpr.Access access) {
    List<IndexVar> labels = stored(access);
    return labels.isEmpty() ? null : labels.get(labels.size() - 1);
  }
}
