package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.SemiringAlgebra;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lower.Lowering;
import org.weft.error.WeftException;
import org.weft.memory.MachineMemory;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/**
 * Decides for every product of three and more tensors whether it is one loop nest or is multiplied
 * in pairs, and adds the steps of the pairs. One nest, with partial products hoisted, is right for
 * SDDMM and MTTKRP: it makes no intermediate tensors. Pairs are right where an intermediate tensor
 * saves a loop: chains of matrices, contractions of several dense tensors.
 */
final class Contractions {
  /** How much cheaper pairs have to be: they also cost memory and a kernel each. */
  private static final double ADVANTAGE = 1.25;

  private static final double LEAST_SAVING = 1000;

  /** In iterations: some 10 ms, for the four kernels that make a bitmap or a hashed vector. */
  private static final double LEAST_SAVING_OF_MARKS = 1e7;

  /** A temporary vector with more cells for each of its values is hashed, and not a bitmap. */
  private static final double CELLS_OF_FEW = 16;

  /** Up to as many cells, 9 MB, a temporary is a bitmap however few of them have a value. */
  private static final double CELLS_OF_ANY = 1 << 20;

  /** Time of a multiplication over packed panels, as a share of that of an iteration of a loop. */
  private static final double PACKED_SHARE = 0.4;

  /** Of the machine's memory, for intermediate results; operands and result have the rest. */
  private static final double MEMORY_SHARE = 0.5;

  private final boolean eager;
  private final LabelSizes labels;
  private final Map<String, Double> entries;
  private final Estimates estimates;
  private final StatementPlanner planner;
  private final List<String> notes = new ArrayList<>();
  private int ids;

  /**
   * @param entries stored entries by tensor, shared with the planner
   * @param counts of operands by name, where their entries can be counted
   * @param eager whether reductions that loops repeat are steps also where that saves nothing
   */
  Contractions(
      LabelSizes labels,
      Map<String, Double> entries,
      Function<String, Optional<ModeCounts>> counts,
      boolean eager,
      StatementPlanner planner) {
    this.eager = eager;
    this.labels = labels;
    this.entries = entries;
    this.estimates = new Estimates(labels, entries, counts);
    this.planner = planner;
  }

  /** What was compared, one line per product. */
  List<String> notes() {
    return notes;
  }

  /** The statement with intermediate products computed by steps before it. */
  TensorAssignment split(TensorAssignment assignment) {
    ids = assignment.target().id();
    assignment.value().accesses().forEach(access -> ids = Math.max(ids, access.id()));
    TensorExpr value = distributed(withoutRepeatedSums(assignment));
    TensorExpr split =
        value instanceof TensorExpr.Sum sum && sum.operator() == Operator.PLUS
            ? sum.mapChildren(term -> term(assignment, term))
            : term(assignment, value);
    return split.equals(assignment.value()) ? assignment : assignment.withValue(split);
  }

  /** The loop order of what remains may be another, in which other sums are repeated. */
  private TensorExpr withoutRepeatedSums(TensorAssignment assignment) {
    Set<IndexVar> loops = new LinkedHashSet<>(assignment.target().variables());
    TensorExpr hoisted = hoisted(assignment, assignment.value(), loops);
    return hoisted.equals(assignment.value())
        ? hoisted
        : withoutRepeatedSums(assignment.withValue(hoisted));
  }

  /**
   * {@code expr} with reductions that some loop around them does not change computed by steps of
   * their own: a nest would compute them anew in every iteration.
   *
   * @param around variables of the loops around {@code expr}
   */
  private TensorExpr hoisted(TensorAssignment assignment, TensorExpr expr, Set<IndexVar> around) {
    if (!(expr instanceof TensorExpr.Reduce reduce)) {
      return expr.mapChildren(child -> hoisted(assignment, child, around));
    }
    TensorExpr sum = within(assignment, reduce, around);
    boolean repeated = !reduce.freeVariables().containsAll(around);
    return repeated ? once(assignment, reduce, sum) : sum;
  }

  /** As {@link #hoisted}, below directly nested reductions. */
  private TensorExpr within(
      TensorAssignment assignment, TensorExpr.Reduce reduce, Set<IndexVar> around) {
    Set<IndexVar> inside = new LinkedHashSet<>(around);
    inside.add(reduce.variable());
    return reduce.of(
        reduce.body() instanceof TensorExpr.Reduce deeper
            ? within(assignment, deeper, inside)
            : hoisted(assignment, reduce.body(), inside));
  }

  private static boolean onlySums(TensorExpr expr) {
    boolean other = expr instanceof TensorExpr.Reduce r && r.operator() != Operator.PLUS;
    return !other && expr.children().stream().allMatch(Contractions::onlySums);
  }

  /** Whether a sum runs over a label without coordinates: it has a value nowhere. */
  private boolean sumsOverNothing(TensorExpr expr) {
    return expr instanceof TensorExpr.Reduce reduce && labels.size(reduce.variable()) == 0
        || expr.children().stream().anyMatch(this::sumsOverNothing);
  }

  /** A temporary with the value of {@code sum}, or {@code sum} itself where that costs more. */
  private TensorExpr once(TensorAssignment assignment, TensorExpr before, TensorExpr sum) {
    List<IndexVar> cells = new ArrayList<>(assignment.target().variables());
    before.freeVariables().stream().filter(v -> !cells.contains(v)).forEach(cells::add);
    cells.retainAll(before.freeVariables());
    double values = estimates.cells(new LinkedHashSet<>(cells));
    double present = estimates.tuples(before.accesses(), Set.copyOf(cells));
    boolean everywhere =
        onlySums(before) && SemiringAlgebra.isFull(before) && !sumsOverNothing(before);
    TensorFormat format =
        everywhere
            ? TensorFormat.dense(cells.size(), assignment.type())
            : lookedUp(cells, assignment.type(), values, present);
    if (format == null) {
      return sum;
    }
    boolean hashed = format.levels().stream().anyMatch(l -> l.format().symbol().equals("H"));
    double stored = hashed ? present : values;
    SourceSpan span = assignment.target().span();
    TensorVar unnamed = new TensorVar("T", format, TensorVar.Kind.RESULT);
    TensorAssignment trial =
        new TensorAssignment(
            new TensorExpr.Access(ids + 1, unnamed, cells, span), false, sum, Map.of());
    TensorExpr rest =
        replaced(
            assignment.value(),
            before,
            new TensorExpr.Access(
                ids + 2, new TensorVar("T", format, TensorVar.Kind.OPERAND), cells, span));
    double nest = nestCost(assignment);
    double saved = nest - nestCost(assignment.withValue(rest));
    double cost = nestCost(trial) + (everywhere ? 0 : stored);
    double least = everywhere ? LEAST_SAVING : LEAST_SAVING_OF_MARKS;
    boolean pays = eager && !everywhere || cost * ADVANTAGE + least < saved;
    if (!pays || stored * Double.BYTES > mostBytes()) {
      return sum;
    }
    notes.add(
        String.format(
            Locale.ROOT, "%s on its own: cost %.3g, %.3g in one loop nest", before, cost, saved));
    return computed(sum, format, cells, stored, assignment);
  }

  /**
   * A format that finds a cell at once and says whether the cell has a value: a bitmap, or a hashed
   * vector where few of many cells have one. Null for other tensors with few values.
   */
  private @Nullable TensorFormat lookedUp(
      List<IndexVar> cells, ValueType type, double values, double present) {
    int order = cells.size();
    boolean few = values > (eager ? present + 4 : CELLS_OF_FEW * present + CELLS_OF_ANY);
    if (order == 0 || few && order > 1) {
      return null;
    }
    List<LevelSpec> levels = new ArrayList<>(TensorFormat.dense(order, type).levels());
    levels.set(
        order - 1, few ? LevelSpec.of("H") : LevelSpec.of("B").withWidths(Width.W64, Width.W8));
    return TensorFormat.ofLevels(levels, type);
  }

  private static TensorExpr replaced(TensorExpr expr, TensorExpr part, TensorExpr with) {
    return expr.equals(part) ? with : expr.mapChildren(child -> replaced(child, part, with));
  }

  /** An access to a temporary tensor, after a step that computes it. */
  private TensorExpr.Access computed(
      TensorExpr value,
      TensorFormat format,
      List<IndexVar> storage,
      double values,
      TensorAssignment assignment) {
    String name = planner.conversions().fresh("T");
    entries.put(name, values);
    TensorVar tensor = new TensorVar(name, format, TensorVar.Kind.RESULT);
    TensorExpr.Access target =
        new TensorExpr.Access(++ids, tensor, storage, assignment.target().span());
    planner.add(
        new TensorAssignment(target, false, value, Map.of()),
        Schedule.parallel(),
        String.format(
            Locale.ROOT, "about %.3g %s", values, format.isDense() ? "cells" : "entries"));
    TensorVar operand = new TensorVar(name, format, TensorVar.Kind.OPERAND);
    return new TensorExpr.Access(++ids, operand, storage, assignment.target().span());
  }

  /** {@code sum_v(a + b) = sum_v(a) + sum_v(b)} where both use {@code v}. */
  private static TensorExpr distributed(TensorExpr value) {
    if (value instanceof TensorExpr.Reduce reduce
        && reduce.operator() == Operator.PLUS
        && distributed(reduce.body()) instanceof TensorExpr.Sum sum
        && sum.operator() == Operator.PLUS
        && sum.terms().stream().allMatch(term -> term.uses(reduce.variable()))) {
      return sum.mapChildren(term -> new TensorExpr.Reduce(reduce.variable(), term));
    }
    return value;
  }

  /** Found out where it matters: a statement of one product does not ask. */
  private static double mostBytes() {
    return MEMORY_SHARE * MachineMemory.totalBytes();
  }

  private TensorExpr term(TensorAssignment assignment, TensorExpr term) {
    Chain chain = Chain.of(term);
    if (chain == null || !ContractionTree.mayOrder(chain.factors())) {
      return term;
    }
    Set<IndexVar> result = new LinkedHashSet<>(term.freeVariables());
    boolean mayDensify = assignment.target().tensor().format().isDense();
    ContractionTree tree =
        new ContractionTree(chain.factors(), result, estimates, mayDensify, mostBytes());
    Optional<ContractionTree.Node> found = tree.best();
    double nest = nestCost(assignment.withValue(term));
    chain.factors().forEach(this::noteUneven);
    if (found.isEmpty()) {
      notes.add(
          String.format(
              Locale.ROOT,
              "one loop nest for %s: cost %.3g; every order in pairs needs more than %.3g GB",
              term,
              nest,
              mostBytes() * 1e-9));
      return term;
    }
    ContractionTree.Node best = found.get();
    double cost = best.cost() - (1 - PACKED_SHARE) * tree.packed(best);
    boolean pairs = cost * ADVANTAGE + LEAST_SAVING < nest;
    notes.add(
        pairs
            ? String.format(
                Locale.ROOT,
                "contraction order %s: cost %.3g in pairs, %.3g in one loop nest; intermediate"
                    + " results up to %.3g MB",
                tree.text(best),
                cost,
                nest,
                best.peak() * 1e-6)
            : String.format(
                Locale.ROOT,
                "one loop nest for %s: cost %.3g, best in pairs %s %.3g",
                term,
                nest,
                tree.text(best),
                cost));
    if (!pairs) {
      return term;
    }
    List<IndexVar> order = new ArrayList<>(assignment.target().variables());
    return chain.around(
        multiply(best, chain, order, assignment), remaining(best, result), chain.literals());
  }

  /** Notes the modes of which far fewer slices have entries than an even spread would give. */
  private void noteUneven(TensorExpr.Access factor) {
    double stored = entries.getOrDefault(factor.tensor().name(), 0.0);
    for (IndexVar variable : factor.variables()) {
      double size = labels.size(variable);
      double even = size * -Math.expm1(-stored / size);
      double slices = estimates.mode(factor, variable).map(m -> m.distinct()).orElse(even);
      if (2 * slices < even) {
        String note =
            String.format(
                Locale.ROOT,
                "%s has entries in %.0f of %.0f slices of %s",
                factor,
                slices,
                size,
                variable.name());
        if (!notes.contains(note)) {
          notes.add(note);
        }
      }
    }
  }

  private double nestCost(TensorAssignment assignment) {
    NestCost cost = new NestCost(estimates);
    try {
      return cost.of(assignment);
    } catch (WeftException cyclic) {
      return cost.of(Lowering.apart(assignment), List.copyOf(assignment.variables()));
    }
  }

  private static Set<IndexVar> remaining(ContractionTree.Node node, Set<IndexVar> result) {
    Set<IndexVar> reduced = new LinkedHashSet<>();
    for (ContractionTree.Node child : children(node)) {
      reduced.addAll(child.labels());
    }
    reduced.removeAll(result);
    return reduced;
  }

  private static List<ContractionTree.Node> children(ContractionTree.Node node) {
    ContractionTree.Node left = node.left();
    ContractionTree.Node right = node.right();
    return left == null || right == null ? List.of() : List.of(left, right);
  }

  /** The two factors of {@code node}, after steps that compute those that are products. */
  private List<TensorExpr> multiply(
      ContractionTree.Node node, Chain chain, List<IndexVar> order, TensorAssignment assignment) {
    List<ContractionTree.Node> children = children(node);
    TensorExpr[] pair = new TensorExpr[2];
    int first = ContractionTree.isFirst(children.get(0), children.get(1)) ? 0 : 1;
    for (int side : new int[] {first, 1 - first}) {
      ContractionTree.Node child = children.get(side);
      if (child.isFactor()) {
        pair[side] = chain.factors().get(child.factor());
        continue;
      }
      List<IndexVar> storage = storageOrder(child, children.get(1 - side), node, order);
      List<TensorExpr> inner = multiply(child, chain, storage, assignment);
      pair[side] = temporary(child, storage, inner, assignment);
    }
    return List.of(pair);
  }

  /**
   * The labels of an intermediate tensor in the order in which the loops over it will run: one that
   * has the first label of what it is used for is walked from outside, its summed labels inside;
   * the other one is entered by the summed labels.
   */
  private static List<IndexVar> storageOrder(
      ContractionTree.Node node,
      ContractionTree.Node sibling,
      ContractionTree.Node parent,
      List<IndexVar> order) {
    List<IndexVar> free = new ArrayList<>(order);
    node.labels().stream().filter(v -> !free.contains(v)).forEach(free::add);
    free.retainAll(node.labels());
    List<IndexVar> summed = new ArrayList<>(node.labels());
    summed.retainAll(sibling.labels());
    summed.removeAll(parent.labels());
    free.removeAll(summed);
    boolean outer = order.isEmpty() || node.labels().contains(order.get(0));
    List<IndexVar> storage = new ArrayList<>(outer ? free : summed);
    storage.addAll(outer ? summed : free);
    return storage;
  }

  /**
   * A sum over all labels may have combined no entries. Where the statement's result shows which
   * cells have a value, the temporary is a vector of one cell, which says so, and not a number.
   */
  private TensorExpr temporary(
      ContractionTree.Node node,
      List<IndexVar> storage,
      List<TensorExpr> factors,
      TensorAssignment assignment) {
    TensorExpr value = new TensorExpr.Product(factors);
    for (IndexVar variable : remaining(node, node.labels())) {
      value = new TensorExpr.Reduce(variable, value);
    }
    boolean shows = !assignment.target().tensor().format().isDense();
    if (storage.isEmpty() && !node.dense() && shows) {
      IndexVar unit = labels.addUnit();
      TensorFormat vector =
          Conversions.narrow(TensorFormat.csf(1, assignment.type()), labels.shape(List.of(unit)));
      return new TensorExpr.Reduce(unit, computed(value, vector, List.of(unit), 1, assignment));
    }
    TensorFormat format = format(node, storage, assignment.type());
    return computed(value, format, storage, node.values(), assignment);
  }

  private TensorFormat format(ContractionTree.Node node, List<IndexVar> storage, ValueType type) {
    int order = storage.size();
    if (node.dense() || order == 0) {
      return TensorFormat.dense(order, type);
    }
    TensorFormat format = TensorFormat.csf(order, type);
    if (order > 1 && labels.size(storage.get(0)) <= node.values()) {
      List<LevelSpec> levels = new ArrayList<>(format.levels());
      levels.set(0, LevelSpec.of("D"));
      format = new TensorFormat(levels, format.modeOrder(), type);
    }
    return Conversions.narrow(format, labels.shape(storage));
  }

  /** A sum of one product of tensors and numbers. */
  private record Chain(
      boolean negative, List<TensorExpr.Access> factors, List<TensorExpr> literals) {
    static @Nullable Chain of(TensorExpr term) {
      TensorExpr body = term;
      boolean negative = false;
      while (body instanceof TensorExpr.Reduce || body instanceof TensorExpr.Negate) {
        if (body instanceof TensorExpr.Reduce reduce && reduce.operator() != Operator.PLUS) {
          return null;
        }
        negative ^= body instanceof TensorExpr.Negate;
        body = body.children().get(0);
      }
      if (!(body instanceof TensorExpr.Product product) || product.operator() != Operator.TIMES) {
        return null;
      }
      List<TensorExpr.Access> factors = new ArrayList<>();
      List<TensorExpr> literals = new ArrayList<>();
      for (TensorExpr factor : product.factors()) {
        if (factor instanceof TensorExpr.Access access) {
          factors.add(access);
        } else if (factor instanceof TensorExpr.Literal) {
          literals.add(factor);
        } else {
          return null;
        }
      }
      return new Chain(negative, factors, literals);
    }

    TensorExpr around(List<TensorExpr> pair, Set<IndexVar> reduced, List<TensorExpr> numbers) {
      List<TensorExpr> all = new ArrayList<>(numbers);
      all.addAll(pair);
      TensorExpr value = new TensorExpr.Product(all);
      value = negative ? new TensorExpr.Negate(value) : value;
      for (IndexVar variable : reduced) {
        value = new TensorExpr.Reduce(variable, value);
      }
      return value;
    }
  }
}
