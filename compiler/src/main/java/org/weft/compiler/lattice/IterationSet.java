package org.weft.compiler.lattice;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A set of coordinates of one index variable, as set algebra over the coordinates that operands
 * store.
 */
public sealed interface IterationSet {
  IterationSet UNIVERSE = new Universe();
  IterationSet EMPTY = new Empty();

  /** The coordinates that a level stores. */
  record Stored(LatticeOperand operand) implements IterationSet {
    @Override
    public String toString() {
      return operand.name();
    }
  }

  /** All coordinates of the variable. */
  record Universe() implements IterationSet {
    @Override
    public String toString() {
      return "U";
    }
  }

  /** No coordinate. */
  record Empty() implements IterationSet {
    @Override
    public String toString() {
      return "{}";
    }
  }

  record Union(List<IterationSet> sets) implements IterationSet {
    public Union {
      sets = List.copyOf(sets);
    }

    @Override
    public String toString() {
      return sets.stream().map(Object::toString).collect(Collectors.joining(" | ", "(", ")"));
    }
  }

  record Intersection(List<IterationSet> sets) implements IterationSet {
    public Intersection {
      sets = List.copyOf(sets);
    }

    @Override
    public String toString() {
      return sets.stream().map(Object::toString).collect(Collectors.joining(" & ", "(", ")"));
    }
  }

  /** Union; nothing but identities of the empty set is applied. */
  static IterationSet union(List<IterationSet> sets) {
    List<IterationSet> rest = new ArrayList<>(sets);
    rest.removeIf(EMPTY::equals);
    return rest.isEmpty() ? EMPTY : rest.size() == 1 ? rest.get(0) : new Union(rest);
  }

  /** Intersection; the empty set absorbs and the universe is neutral. */
  static IterationSet intersection(List<IterationSet> sets) {
    if (sets.contains(EMPTY)) {
      return EMPTY;
    }
    List<IterationSet> rest = new ArrayList<>(sets);
    rest.removeIf(UNIVERSE::equals);
    return rest.isEmpty() ? UNIVERSE : rest.size() == 1 ? rest.get(0) : new Intersection(rest);
  }
}
