package org.weft.compiler.algebra;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.lang.SemiringOperator;
import org.weft.compiler.lang.Syntax;

/**
 * Implicit reductions (Bik et al., section 5.1): a label that the result does not have is reduced
 * over the smallest sub-expression, as written, that contains every use of it. {@code D(i) = A(i,j)
 * + B(i,j) + C(i)} is {@code sum_j(A + B) + C}. A semiring product reduces its labels with its own
 * operator, those that only one of its operands uses included; everything else is a sum.
 *
 * <p>{@code SUM(e)} reduces every free label of {@code e} by the same rule within {@code e}, but
 * outside of functions, of quotients and of operators that are not linear: {@code SUM(abs(A(i,j)))}
 * is the sum of the absolute values.
 */
final class ReductionPlacement {
  /** A label that is reduced at some place, with an operator. */
  record Placed(String label, SemiringOperator operator) {}

  private record Place(Syntax node, SemiringOperator operator, boolean leaf) {}

  private final Map<Syntax, List<Placed>> places = new IdentityHashMap<>();

  /** Places every free label of {@code value} but {@code kept}. */
  ReductionPlacement(Syntax value, Set<String> kept) {
    Set<String> free = labels(value);
    free.removeAll(kept);
    free.forEach(label -> place(value, label, false));
    placeFullSums(value);
  }

  private void placeFullSums(Syntax node) {
    if (node instanceof Syntax.Sum sum) {
      labels(sum.body()).forEach(label -> place(sum.body(), label, true));
    }
    node.children().forEach(this::placeFullSums);
  }

  private void place(Syntax node, String label, boolean linear) {
    Place place = find(node, label, linear);
    places
        .computeIfAbsent(place.node(), key -> new ArrayList<>())
        .add(new Placed(label, place.operator()));
  }

  /**
   * @param linear whether the sum of a node has to be the sum over the node
   */
  private static Place find(Syntax node, String label, boolean linear) {
    SemiringOperator operator =
        node instanceof Syntax.Semiring semiring ? semiring.add() : SemiringOperator.PLUS;
    List<Syntax> users =
        node.children().stream().filter(child -> labels(child).contains(label)).toList();
    if (users.size() != 1) {
      return new Place(node, operator, users.isEmpty());
    }
    Place inner = find(users.get(0), label, linear);
    if (inner.leaf() && node instanceof Syntax.Semiring) {
      return new Place(node, operator, false);
    }
    boolean leaf = inner.leaf() && node.children().size() == 1;
    return linear && !isLinear(node)
        ? new Place(node, SemiringOperator.PLUS, leaf)
        : new Place(inner.node(), inner.operator(), leaf);
  }

  private static boolean isLinear(Syntax node) {
    return !(node instanceof Syntax.Call
        || node instanceof Syntax.Monoid monoid && monoid.operator() != SemiringOperator.PLUS
        || node instanceof Syntax.Operation o && o.operator() == Syntax.Operator.DIVIDE);
  }

  /** The labels to reduce at {@code node}, the innermost first. */
  List<Placed> at(Syntax node) {
    return places.getOrDefault(node, List.of());
  }

  /** The free labels of {@code node}, in order of appearance. */
  static Set<String> labels(Syntax node) {
    Set<String> found = new LinkedHashSet<>();
    collect(node, Set.of(), found);
    return found;
  }

  private static void collect(Syntax node, Set<String> bound, Set<String> into) {
    if (node instanceof Syntax.Access access) {
      for (Syntax.Label label : access.labels()) {
        if (!bound.contains(label.name())) {
          into.add(label.name());
        }
      }
    } else if (node instanceof Syntax.Reduction reduction) {
      Set<String> inner = new HashSet<>(bound);
      inner.add(reduction.label().name());
      collect(reduction.body(), inner, into);
    } else if (!(node instanceof Syntax.Sum)) {
      node.children().forEach(child -> collect(child, bound, into));
    }
  }
}
