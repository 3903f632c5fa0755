package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * The format of a result that nobody chose, from the sparsity of the expression: dense where the
 * expression nearly has a value everywhere, if it is a vector or the last label is dense; else
 * compressed, with a dense outermost level where there are entries for it, and dense levels inside
 * for labels that only dense operands have.
 */
final class ResultFormats {
  private static final double NEARLY_FULL = 0.25;

  private final Estimates estimates;

  private ResultFormats(Estimates estimates) {
    this.estimates = estimates;
  }

  static TensorFormat infer(
      TensorAssignment assignment, LabelSizes labels, Map<String, Double> entries, ValueType type) {
    Estimates estimates = new Estimates(labels, entries);
    return new ResultFormats(estimates).format(assignment, type);
  }

  /** Expected number of entries of the result. */
  static double entries(
      TensorAssignment assignment, LabelSizes labels, Map<String, Double> entries) {
    return new ResultFormats(new Estimates(labels, entries))
        .values(assignment.value(), new LinkedHashSet<>(assignment.target().variables()));
  }

  private TensorFormat format(TensorAssignment assignment, ValueType type) {
    List<IndexVar> labels = assignment.target().variables();
    int order = labels.size();
    Set<IndexVar> sparse = sparse(assignment.value(), labels);
    sparse.retainAll(labels);
    double cells = estimates.cells(labels);
    double values = values(assignment.value(), new LinkedHashSet<>(labels));
    boolean block = order <= 1 || !sparse.contains(labels.get(order - 1));
    if (sparse.isEmpty() && order <= 1 || block && values >= NEARLY_FULL * cells) {
      return TensorFormat.dense(order, type);
    } else if (sparse.isEmpty()) {
      sparse.addAll(labels);
    }
    List<LevelSpec> levels = new ArrayList<>(Collections.nCopies(order, LevelSpec.of("CU")));
    for (int level = order - 1; level > 0 && !sparse.contains(labels.get(level)); level--) {
      levels.set(level, LevelSpec.of("D"));
    }
    boolean inner = labels.subList(1, order).stream().anyMatch(sparse::contains);
    if (order == 2 && inner && estimates.cells(labels.subList(0, 1)) <= 4 * values + 1024) {
      levels.set(0, LevelSpec.of("D"));
    }
    int[] modes = new int[order];
    java.util.Arrays.setAll(modes, mode -> mode);
    return new TensorFormat(levels, modes, type);
  }

  /** Labels along which {@code expr} may lack values; {@code kept} are those of the result. */
  private static Set<IndexVar> sparse(TensorExpr expr, List<IndexVar> kept) {
    Set<IndexVar> found = new LinkedHashSet<>();
    if (expr instanceof TensorExpr.Access access) {
      TensorFormat format = access.tensor().format();
      boolean below = false;
      for (int level = format.levelCount() - 1; level >= 0; level--) {
        int mode = format.modeOf(level);
        List<IndexVar> stored =
            mode < 0 ? access.variables() : List.of(access.variables().get(mode));
        if (below || !format.level(level).properties().full()) {
          found.addAll(stored);
          below |= stored.stream().anyMatch(kept::contains);
        }
      }
    } else if (expr instanceof TensorExpr.Reduce reduce) {
      found.addAll(sparse(reduce.body(), kept));
      found.remove(reduce.variable());
    } else if (expr instanceof TensorExpr.Apply apply && !apply.function().preservesZero()) {
      return found;
    } else if (expr instanceof TensorExpr.Sum || expr instanceof TensorExpr.Apply) {
      found.addAll(expr.children().isEmpty() ? Set.of() : sparse(expr.children().get(0), kept));
      expr.children().forEach(child -> found.retainAll(sparse(child, kept)));
    } else {
      expr.children().forEach(child -> found.addAll(sparse(child, kept)));
    }
    return found;
  }

  /** Expected number of values of {@code expr} over {@code labels}. */
  private double values(TensorExpr expr, Set<IndexVar> labels) {
    double cells = estimates.cells(labels);
    if (expr instanceof TensorExpr.Reduce reduce) {
      Set<IndexVar> inner = new LinkedHashSet<>(labels);
      inner.add(reduce.variable());
      return estimates.reduced(values(reduce.body(), inner), labels);
    } else if (expr instanceof TensorExpr.Sum) {
      double absent = 1;
      for (TensorExpr child : expr.children()) {
        absent *= 1 - share(child, labels, cells);
      }
      return cells * (1 - absent);
    } else if (expr instanceof TensorExpr.Access access) {
      return cells * estimates.density(access, new HashSet<>(access.variables()));
    } else if (expr instanceof TensorExpr.Apply apply && !apply.function().preservesZero()) {
      return cells;
    } else if (expr instanceof TensorExpr.Zero) {
      return 0;
    }
    double present = 1;
    for (TensorExpr child : expr.children()) {
      present *= share(child, labels, cells);
    }
    return cells * present;
  }

  private double share(TensorExpr expr, Set<IndexVar> labels, double cells) {
    return cells == 0 ? 0 : Math.min(1, values(expr, labels) / cells);
  }
}
