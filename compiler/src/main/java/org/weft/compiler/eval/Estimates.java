package org.weft.compiler.eval;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;

/**
 * How many cells products have, from sizes and numbers of stored entries: entries are taken to be
 * spread evenly and independently. Numbers are doubles, because they may exceed every integer type.
 */
final class Estimates {
  private final LabelSizes labels;
  private final Map<String, Double> entries;

  /**
   * @param entries stored entries by tensor, which may grow; a tensor without a number is full
   */
  Estimates(LabelSizes labels, Map<String, Double> entries) {
    this.labels = labels;
    this.entries = entries;
  }

  /** Cells over {@code variables}. */
  double cells(Collection<IndexVar> variables) {
    double cells = 1;
    for (IndexVar variable : variables) {
      cells *= labels.size(variable);
    }
    return cells;
  }

  /** Share of the cells over {@code onto} below which {@code access} has an entry. */
  double density(TensorExpr.Access access, Set<IndexVar> onto) {
    double cells = cells(access.variables());
    double stored = Math.min(cells, entries.getOrDefault(access.tensor().name(), cells));
    Set<IndexVar> common = new LinkedHashSet<>(access.variables());
    common.retainAll(onto);
    if (stored >= cells || common.isEmpty()) {
      return stored > 0 || cells == 0 ? 1 : 0;
    }
    double projected = cells(common);
    return common.size() == Set.copyOf(access.variables()).size()
        ? stored / cells
        : -Math.expm1(-stored / projected);
  }

  /** Coordinates over {@code variables} at which every one of {@code factors} has entries. */
  double tuples(List<TensorExpr.Access> factors, Set<IndexVar> variables) {
    double tuples = cells(variables);
    for (TensorExpr.Access factor : factors) {
      tuples *= density(factor, variables);
    }
    return tuples;
  }

  /** Cells over {@code kept} that get a value when {@code tuples} products fall on them evenly. */
  double reduced(double tuples, Collection<IndexVar> kept) {
    double cells = cells(kept);
    return cells == 0 ? 0 : cells * -Math.expm1(-tuples / cells);
  }
}
