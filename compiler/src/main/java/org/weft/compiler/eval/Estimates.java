package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;

/**
 * How many cells products have, from sizes and numbers of stored entries. Where the entries of an
 * operand are counted along its modes, these counts are used; otherwise entries are taken to be
 * spread evenly. Operands, and modes of one operand, are taken to be independent. Numbers are
 * doubles, because they may exceed every integer type.
 */
public final class Estimates {
  private final LabelSizes labels;
  private final Map<String, Double> entries;
  private final Function<String, Optional<ModeCounts>> counts;
  private final Map<List<Object>, Double> agreements = new HashMap<>();

  /**
   * @param entries stored entries by tensor, which may grow; a tensor without a number is full
   */
  public Estimates(LabelSizes labels, Map<String, Double> entries) {
    this(labels, entries, name -> Optional.empty());
  }

  /**
   * As above.
   *
   * @param counts of a tensor by name, where its entries can be counted
   */
  public Estimates(
      LabelSizes labels,
      Map<String, Double> entries,
      Function<String, Optional<ModeCounts>> counts) {
    this.labels = labels;
    this.entries = entries;
    this.counts = counts;
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
    if (common.size() == Set.copyOf(access.variables()).size()) {
      return stored / cells;
    }
    return counts(access)
        .map(known -> known.fibers(modes(access, common), stored) / projected)
        .orElseGet(() -> -Math.expm1(-stored / projected));
  }

  private static Set<Integer> modes(TensorExpr.Access access, Set<IndexVar> some) {
    Set<Integer> modes = new HashSet<>();
    some.forEach(variable -> modes.add(access.variables().indexOf(variable)));
    return modes;
  }

  /** The counts of what is accessed; none where a label is repeated. */
  private Optional<ModeCounts> counts(TensorExpr.Access access) {
    boolean distinct = Set.copyOf(access.variables()).size() == access.variables().size();
    return distinct ? counts.apply(access.tensor().name()) : Optional.empty();
  }

  /** How the entries of {@code access} lie along {@code variable}, where that is counted. */
  Optional<ModeCounts.Mode> mode(TensorExpr.Access access, IndexVar variable) {
    int mode = access.variables().indexOf(variable);
    return mode < 0 ? Optional.empty() : counts(access).map(known -> known.mode(mode));
  }

  /** Coordinates over {@code variables} at which every one of {@code factors} has entries. */
  double tuples(List<TensorExpr.Access> factors, Set<IndexVar> variables) {
    double cells = cells(variables);
    double tuples = cells;
    double most = cells;
    for (TensorExpr.Access factor : factors) {
      double density = density(factor, variables);
      tuples *= density;
      most = Math.min(most, cells * density);
    }
    for (IndexVar variable : variables) {
      tuples *= agreement(factors, variable);
    }
    return Math.min(tuples, most);
  }

  /**
   * How much likelier entries of {@code factors} meet at a coordinate of {@code variable} than
   * entries that are spread evenly: {@code n^(k-1) sum_c p_1(c) ... p_k(c)} for the {@code k}
   * factors whose shares {@code p(c)} of entries in the {@code n} slices are counted.
   */
  double agreement(List<TensorExpr.Access> factors, IndexVar variable) {
    List<Object> key = new ArrayList<>();
    List<ModeCounts.Mode> known = new ArrayList<>();
    for (TensorExpr.Access factor : factors) {
      mode(factor, variable)
          .ifPresent(
              mode -> {
                known.add(mode);
                key.add(factor.tensor().name());
                key.add(factor.variables().indexOf(variable));
              });
    }
    if (known.size() < 2) {
      return 1;
    }
    Double before = agreements.get(key);
    if (before == null) {
      before = agreement(known, cells(List.of(variable)));
      agreements.put(key, before);
    }
    return before;
  }

  private static double agreement(List<ModeCounts.Mode> modes, double size) {
    ModeCounts.Mode first = modes.get(0);
    int[] at = new int[modes.size()];
    double agreement = 0;
    for (int n = 0; n < first.coordinates().length; n++) {
      long coordinate = first.coordinates()[n];
      double share = first.shares()[n];
      for (int other = 1; other < at.length && share > 0; other++) {
        long[] coordinates = modes.get(other).coordinates();
        while (at[other] < coordinates.length && coordinates[at[other]] < coordinate) {
          at[other]++;
        }
        boolean meets = at[other] < coordinates.length && coordinates[at[other]] == coordinate;
        share *= meets ? size * modes.get(other).shares()[at[other]] : 0;
      }
      agreement += share;
    }
    return agreement;
  }

  /** Cells over {@code kept} that get a value when {@code tuples} products fall on them evenly. */
  double reduced(double tuples, Collection<IndexVar> kept) {
    return fallen(tuples, cells(kept));
  }

  /** As above, but only on slices in which all of {@code factors} have entries. */
  double reduced(double tuples, Collection<IndexVar> kept, List<TensorExpr.Access> factors) {
    double cells = 1;
    for (IndexVar variable : kept) {
      double slices = labels.size(variable);
      for (TensorExpr.Access factor : factors) {
        slices = Math.min(slices, mode(factor, variable).map(m -> m.distinct()).orElse(slices));
      }
      cells *= slices;
    }
    return fallen(tuples, cells);
  }

  private static double fallen(double tuples, double cells) {
    return cells == 0 ? 0 : cells * -Math.expm1(-tuples / cells);
  }
}
