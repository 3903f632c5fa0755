package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.graph.IterationGraph;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lower.Lowering;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * The expected number of loop iterations of a factored expression: a walk over the expression as
 * lowering does it. A variable of the result or of the outermost reduction opens a loop; a
 * reduction inside a product is computed on its own, and its value stands in its place afterwards.
 */
public final class NestCost {
  /** An operand that is this many times as long as another is searched, and not walked. */
  private static final double SEARCHED = 8;

  /** Of a walk over several operands: a processor cannot foresee which of them a step moves on. */
  private static final double ITERATIONS_PER_STEP = 3;

  /** Iterations that an entry takes in a workspace over several labels: found, and sorted. */
  static final double ITERATIONS_PER_ENTRY = 20;

  /** A workspace over several labels has an array of all its cells up to so many of them. */
  private static final double ARRAY_CELLS = 1 << 18;

  private final Estimates estimates;
  private final boolean walks;
  private final Map<String, Double> shares = new HashMap<>();
  private List<TensorExpr.Access> around = List.of();
  private int temporaries;

  public NestCost(Estimates estimates) {
    this(estimates, false);
  }

  /**
   * As above.
   *
   * @param walks whether coordinates at which only some of several walked operands have entries
   *     count, too, and entries of workspaces
   */
  NestCost(Estimates estimates, boolean walks) {
    this.estimates = estimates;
    this.walks = walks;
  }

  /**
   * Iterations of the loops that lowering would make of {@code assignment}.
   *
   * @throws WeftException INVALID_FORMAT if no loop order serves the operands
   */
  public double of(TensorAssignment assignment) {
    TensorAssignment apart = Lowering.apart(assignment);
    return of(apart, IterationGraph.of(apart, List.of()).loopOrder());
  }

  /** As above, in any order. */
  double of(TensorAssignment assignment, List<IndexVar> order) {
    TensorExpr factored = Lowering.factored(assignment, order).value();
    return of(factored, order, new LinkedHashSet<>(assignment.target().variables()));
  }

  /**
   * @param order all variables, outermost loop first
   * @param result the variables of the result
   */
  public double of(TensorExpr expr, List<IndexVar> order, Set<IndexVar> result) {
    return of(expr, order, Set.of(), result, 1);
  }

  private double of(
      TensorExpr expr,
      List<IndexVar> order,
      Set<IndexVar> bound,
      Set<IndexVar> result,
      double times) {
    for (int at = 0; at < order.size(); at++) {
      IndexVar variable = order.get(at);
      if (bound.contains(variable)) {
        continue;
      }
      TensorExpr part = partOver(expr, variable);
      if (result.contains(variable) || part != null && part.equals(expr)) {
        return loop(expr, variable, order.subList(at + 1, order.size()), bound, result, times);
      } else if (part != null) {
        Set<IndexVar> open = new LinkedHashSet<>(part.freeVariables());
        open.removeAll(bound);
        List<TensorExpr.Access> outside = around;
        around = boundBeside(part, expr, bound);
        double first = of(part, order.subList(at, order.size()), bound, open, times);
        around = outside;
        double share = share(part, bound, open);
        double kept = walks ? times * workspace(open, share) : 0;
        TensorExpr value = temporary(open, share);
        return first + kept + of(replace(expr, part, value), order, bound, result, times);
      }
    }
    return 0;
  }

  private double loop(
      TensorExpr expr,
      IndexVar variable,
      List<IndexVar> rest,
      Set<IndexVar> bound,
      Set<IndexVar> result,
      double times) {
    TensorExpr body = without(expr, variable);
    Set<IndexVar> inner = new LinkedHashSet<>(bound);
    inner.add(variable);
    double before = tuples(body, bound);
    double iterations = before == 0 ? 0 : times * tuples(body, inner) / before;
    double steps = walks ? times * steps(body, variable, bound, inner) : 0;
    return Math.max(iterations, steps) + of(body, rest, inner, result, iterations);
  }

  /** What is around {@code part}, and what {@code expr} reads beside it where the loops are. */
  private List<TensorExpr.Access> boundBeside(
      TensorExpr part, TensorExpr expr, Set<IndexVar> bound) {
    List<TensorExpr.Access> all = new ArrayList<>(around);
    for (TensorExpr.Access access : expr.accesses()) {
      if (!shares.containsKey(access.tensor().name())
          && bound.containsAll(access.variables())
          && !part.accesses().contains(access)) {
        all.add(access);
      }
    }
    return all;
  }

  /** Steps of a loop that walks two and more operands together; 0 for other loops. */
  private double steps(
      TensorExpr expr, IndexVar variable, Set<IndexVar> bound, Set<IndexVar> inner) {
    double all = 0;
    double least = Double.POSITIVE_INFINITY;
    int walked = 0;
    for (TensorExpr factor : factors(expr)) {
      if (factor instanceof TensorExpr.Access access && isWalked(access, variable)) {
        double before = estimates.tuples(List.of(access), bound);
        double length = before == 0 ? 0 : estimates.tuples(List.of(access), inner) / before;
        length = Math.max(length, lengthWhereRead(access, bound, inner));
        all += length;
        least = Math.min(least, length);
        walked++;
      }
    }
    return walked < 2 ? 0 : ITERATIONS_PER_STEP * Math.min(all, SEARCHED * least);
  }

  /**
   * Of a fiber for each entry of what is around: entries in the same long slices meet more often.
   */
  private double lengthWhereRead(
      TensorExpr.Access access, Set<IndexVar> bound, Set<IndexVar> inner) {
    double reads = around.isEmpty() ? 0 : estimates.tuples(around, bound);
    List<TensorExpr.Access> all = new ArrayList<>(around);
    all.add(access);
    return reads == 0 ? 0 : estimates.tuples(all, inner) / reads;
  }

  private static boolean isWalked(TensorExpr.Access access, IndexVar variable) {
    TensorFormat format = access.tensor().format();
    return IntStream.range(0, format.levelCount())
        .filter(level -> format.modeOf(level) >= 0 && access.variableAt(level).equals(variable))
        .anyMatch(level -> !format.level(level).properties().full());
  }

  private double workspace(Set<IndexVar> open, double share) {
    double cells = estimates.cells(open);
    return open.size() < 2 || cells <= ARRAY_CELLS ? 0 : ITERATIONS_PER_ENTRY * share * cells;
  }

  /** Share of the cells over {@code open} that get a value of {@code part} at one of the bound. */
  private double share(TensorExpr part, Set<IndexVar> bound, Set<IndexVar> open) {
    Set<IndexVar> all = new LinkedHashSet<>(bound);
    all.addAll(open);
    all.addAll(part.reducedVariables());
    double before = tuples(part, bound);
    double cells = estimates.cells(open);
    return before == 0 || cells == 0
        ? 0
        : estimates.reduced(tuples(part, all) / before, open) / cells;
  }

  /** Coordinates over {@code variables} at or below which {@code expr} may have a value. */
  private double tuples(TensorExpr expr, Set<IndexVar> variables) {
    double cells = estimates.cells(variables);
    if (expr instanceof TensorExpr.Sum
        || expr instanceof TensorExpr.Apply apply && apply.arguments().size() > 1) {
      double absent = 1;
      for (TensorExpr child : expr.children()) {
        absent *= cells == 0 ? 1 : Math.max(0, 1 - tuples(child, variables) / cells);
      }
      return cells * (1 - absent);
    } else if (expr instanceof TensorExpr.Apply apply && !apply.function().preservesZero()) {
      return cells;
    }
    List<TensorExpr.Access> accesses = new ArrayList<>();
    double share = 1;
    for (TensorExpr factor : factors(expr)) {
      if (!(factor instanceof TensorExpr.Access access)) {
        share *= cells == 0 ? 0 : tuples(factor, variables) / cells;
      } else if (shares.containsKey(access.tensor().name())) {
        boolean inside = variables.containsAll(access.variables());
        share *= inside ? shares.get(access.tensor().name()) : 1;
      } else {
        accesses.add(access);
      }
    }
    return share * estimates.tuples(accesses, variables);
  }

  /** What all has a value where {@code expr} has one: accesses, unions and functions. */
  private static List<TensorExpr> factors(TensorExpr expr) {
    boolean whole =
        expr instanceof TensorExpr.Access
            || expr instanceof TensorExpr.Sum
            || expr instanceof TensorExpr.Apply apply
                && (apply.arguments().size() > 1 || !apply.function().preservesZero());
    return whole
        ? List.of(expr)
        : expr.children().stream().flatMap(child -> factors(child).stream()).toList();
  }

  private TensorExpr temporary(Set<IndexVar> open, double share) {
    TensorVar tensor =
        new TensorVar(
            "temporary " + temporaries++,
            TensorFormat.dense(open.size(), ValueType.DOUBLE),
            TensorVar.Kind.TEMPORARY);
    shares.put(tensor.name(), share);
    SourceSpan nowhere = new SourceSpan(SourceText.expression(""), 0, 0);
    return new TensorExpr.Access(-1 - temporaries, tensor, List.copyOf(open), nowhere);
  }

  /** The outermost of the directly nested reductions that include the one over a variable. */
  private static @Nullable TensorExpr partOver(TensorExpr expr, IndexVar variable) {
    if (!expr.reducedVariables().contains(variable)) {
      return null;
    }
    TensorExpr chain = expr;
    while (chain instanceof TensorExpr.Reduce reduce) {
      if (reduce.variable().equals(variable)) {
        return expr;
      }
      chain = reduce.body();
    }
    for (TensorExpr child : expr.children()) {
      TensorExpr part = partOver(child, variable);
      if (part != null) {
        return part;
      }
    }
    return null;
  }

  private static TensorExpr without(TensorExpr expr, IndexVar variable) {
    return expr instanceof TensorExpr.Reduce reduce && reduce.variable().equals(variable)
        ? reduce.body()
        : expr.mapChildren(child -> without(child, variable));
  }

  private static TensorExpr replace(TensorExpr expr, TensorExpr part, TensorExpr with) {
    return expr.equals(part) ? with : expr.mapChildren(child -> replace(child, part, with));
  }
}
