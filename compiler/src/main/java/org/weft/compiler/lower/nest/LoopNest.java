package org.weft.compiler.lower.nest;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.RewriteRule;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.lattice.MergeLattice;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.lower.merge.Cursors;
import org.weft.compiler.lower.merge.Iteration;
import org.weft.compiler.lower.merge.MergeCases;
import org.weft.compiler.lower.merge.MergeLoops;
import org.weft.compiler.lower.merge.MergeOperands;
import org.weft.compiler.lower.merge.Prefetches;
import org.weft.compiler.lower.operand.Ancestors;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Presence;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.Values;
import org.weft.compiler.lower.rewrite.FusedAccess;
import org.weft.compiler.lower.rewrite.Reductions;
import org.weft.compiler.lower.schedule.Directives;
import org.weft.compiler.lower.schedule.Lookup;
import org.weft.compiler.lower.schedule.LoopFacts;
import org.weft.compiler.lower.schedule.LoopPlan;
import org.weft.compiler.lower.sink.AppendSink;
import org.weft.compiler.lower.sink.MemorySink;
import org.weft.compiler.lower.sink.Sink;
import org.weft.compiler.lower.task.TaskLoops;

/**
 * Emits the loops of an expression by recursion over the index variables in loop order (Chou et
 * al., figure 9).
 *
 * <p>At each variable the expression is one of three things. The variable addresses the sink: a
 * loop over it. The expression is a reduction over it: a loop that accumulates, into the sink if
 * that takes scattered values, else into a temporary. A part of the expression is a reduction over
 * it: that part is computed into a temporary, which takes its place.
 */
public final class LoopNest {
  /** In a kernel of more loops than this, all cases of a loop share one body. */
  private static final int MOST_LOOPS = 24;

  private final KernelTensors tensors;
  private final Values values;
  private final Iteration iteration;
  private final Cursors cursors;
  private final Temporaries temporaries;
  private final @Nullable FusedAccess fused;
  private final @Nullable FusedLoops fusedLoops;
  private final Directives directives;
  private final PrivateSums privateSums;
  private final Prefetches prefetches;
  private final List<Supplier<String>> lattices = new ArrayList<>();
  private boolean leavesCells;

  public LoopNest(
      KernelTensors tensors, Values values, @Nullable FusedAccess fused, Directives directives) {
    this.tensors = tensors;
    this.values = values;
    this.iteration = new Iteration(tensors);
    this.cursors = new Cursors(tensors, values);
    this.temporaries = new Temporaries(tensors, values, iteration, directives, this);
    this.fused = fused;
    this.directives = directives;
    this.privateSums = new PrivateSums(tensors, values, temporaries, directives, this);
    this.prefetches = new Prefetches(tensors, cursors, directives);
    this.fusedLoops =
        fused == null
            ? null
            : new FusedLoops(fused, tensors, directives, privateSums, prefetches, this);
  }

  /** Rows of operands that loops find by stored coordinates. */
  public List<Lookup> lookups() {
    return prefetches.lookups();
  }

  /**
   * Whether every cell of a dense result is written exactly once, whatever was in it: each of its
   * variables has a loop over all coordinates, and no condition is around what is put there.
   */
  public boolean writesEveryCell() {
    return !leavesCells;
  }

  /** Notes that some cells of {@code sink} may be written several times, or not at all. */
  void leaveCells(Sink sink) {
    leavesCells |= sink instanceof MemorySink memory && !memory.temporary();
  }

  /** Adds a loop to {@link #lattices}. */
  void note(Supplier<String> lattice) {
    lattices.add(lattice);
  }

  /** The merge lattices, in the order in which loops were emitted, one line each. */
  public String lattices() {
    return lattices.stream()
        .map(Supplier::get)
        .distinct()
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  /**
   * Emits code that puts every value of {@code expr} into {@code sink}.
   *
   * @param order the variables that have no loop yet, outermost first; those that neither {@code
   *     expr} nor {@code sink} uses are passed over
   */
  public void emit(TensorExpr expr, List<IndexVar> order, Scope scope, Sink sink, Code code) {
    if (expr instanceof TensorExpr.Zero) {
      leaveCells(sink);
      return;
    }
    if (sink.tracksPresence() && isStructureKnown(expr, scope)) {
      Code inside = code.nested();
      Sink settled = sink.settle(inside);
      if (settled != null) {
        loops(expr, order, scope, settled, inside);
        wrap(Presence.of(expr, scope), inside, code);
        return;
      }
    }
    loops(expr, order, scope, sink, code);
  }

  private static void wrap(@Nullable Expr present, Code inside, Code code) {
    if (present == null) {
      code.addAll(inside);
    } else {
      code.when(present, inside);
    }
  }

  /** Whether no loop that is still to come can make a difference to where values are present. */
  private boolean isStructureKnown(TensorExpr expr, Scope scope) {
    return expr.reducedVariables().isEmpty()
        && !isNonzero(expr)
        && expr.accesses().stream().allMatch(access -> iteration.isRandom(access, scope));
  }

  private void loops(TensorExpr expr, List<IndexVar> order, Scope scope, Sink sink, Code code) {
    for (int at = 0; at < order.size(); at++) {
      IndexVar variable = order.get(at);
      if (scope.isBound(variable)) {
        continue;
      }
      List<IndexVar> rest = order.subList(at + 1, order.size());
      if (fusedLoops != null && fusedLoops.beginAt(variable, expr, scope)) {
        fusedLoops.emit(expr, order.subList(at, order.size()), scope, sink, code);
        return;
      } else if (sink.variables().contains(variable)) {
        if (!sink.accepts(variable, scope)) {
          leaveCells(sink);
          temporaries.reorder(expr, order.subList(at, order.size()), scope, sink, code);
          return;
        }
        loop(expr, variable, rest, scope, sink, code);
        return;
      } else if (expr.reducedVariables().contains(variable)) {
        reduce(expr, variable, order.subList(at, order.size()), scope, sink, code);
        return;
      }
    }
    put(expr, scope, sink, code);
  }

  /** The scope with {@code memory} addressed as far as its variables are bound. */
  Scope locate(TensorExpr.Access memory, Scope scope, Code code) {
    return cursors.advance(memory, scope, code);
  }

  private void put(TensorExpr expr, Scope scope, Sink closed, Code code) {
    Sink sink = closed.opened(code);
    Scope held = cursors.hold(expr.valueAccesses(), false, scope, code);
    Code store = code.nested();
    sink.put(values.of(expr, held), held, store);
    boolean conditional =
        sink.tracksPresence() || !Presence.isZeroWhenAbsent(expr, held, values.type());
    Expr condition = conditional ? present(expr, held) : null;
    if (condition != null) {
      leaveCells(sink);
    }
    wrap(condition, store, code);
  }

  private @Nullable Expr present(TensorExpr expr, Scope scope) {
    Expr stored = Presence.of(expr, scope);
    if (!isNonzero(expr)) {
      return stored;
    }
    Expr nonzero = new Expr.Binary(Expr.Op.NE, values.of(expr, scope), values.zero());
    return stored == null ? nonzero : Expr.and(stored, nonzero);
  }

  private static boolean isNonzero(TensorExpr expr) {
    return expr instanceof TensorExpr.Apply apply
        && apply.function() == TensorExpr.Function.NONZERO;
  }

  private void reduce(
      TensorExpr expr, IndexVar variable, List<IndexVar> order, Scope scope, Sink sink, Code code) {
    TensorExpr.Reduce reduction = Reductions.outermostOver(expr, variable);
    if (!reduction.equals(expr)) {
      temporaries.replace(reduction, expr, order, scope, sink, code);
      return;
    }
    List<IndexVar> unbound =
        order.stream().filter(v -> sink.variables().contains(v) && !scope.isBound(v)).toList();
    boolean small = temporaries.isSmall(expr, unbound, scope);
    Fold fold = Fold.of(reduction);
    if (sink.scatters(fold, unbound, small)) {
      leaveCells(sink);
      TensorExpr body = Reductions.without(expr, List.of(variable));
      List<IndexVar> rest = order.subList(1, order.size());
      if (fold.operator() == Operator.PLUS && privateSums.apply(variable, false, sink, scope)) {
        privateSums.emit(
            expr,
            variable,
            false,
            unbound,
            scope,
            sink,
            code,
            (inner, own, share) -> loop(body, variable, rest, inner, own, share));
      } else {
        loop(body, variable, rest, scope, sink.reducing(fold), code);
      }
    } else {
      temporaries.replace(reduction, expr, order, scope, sink, code);
    }
  }

  private void loop(
      TensorExpr unhoisted,
      IndexVar variable,
      List<IndexVar> rest,
      Scope outer,
      Sink closed,
      Code code) {
    Sink sink = closed.opened(code);
    HoistScalars hoist = new HoistScalars(tensors, values, iteration, outer, code);
    TensorExpr expr = RewriteRule.rewrite(unhoisted, hoist);
    Scope scope = hoist.scope();
    MergeLattice lattice = MergeLattice.of(iteration.set(expr, variable, scope));
    note(() -> variable + ": " + expr + ": " + lattice);
    Sink inner = sink.beforeLoop(variable, scope, code);
    MergeOperands operands = operands(expr, variable, lattice, scope);
    boolean innermost = !hasLoops(expr, rest, scope.bind(variable, Expr.of(0)), sink);
    LoopFacts found = LoopFacts.of(variable, operands.walks(), sink, innermost, scope);
    if (found.walks() != LoopFacts.Walks.ALL_COORDINATES || !areFull(expr, variable, scope)) {
      leaveCells(sink);
    }
    boolean anyOrder = found.walks().counted() && !appendsAlong(variable, sink);
    LoopFacts facts = anyOrder || operands.areOrdered() ? found : found.uncut();
    LoopPlan plan = directives.plan(variable, facts);
    boolean inTasks = inner instanceof MemorySink || facts.writes() == LoopFacts.Writes.APPENDED;
    if (plan.isParallel() && facts.outermost() && inTasks) {
      LoopTraits traits = facts.vectorises() ? LoopTraits.VECTOR : LoopTraits.SERIAL;
      int unroll = plan.inner().unroll();
      LoopPlan each = new LoopPlan(null, LoopTraits.SERIAL, traits.withUnroll(unroll));
      new TaskLoops(tensors, iteration, fused)
          .emit(
              expr,
              variable,
              facts.walks(),
              lattice.points().get(0).iterated(),
              rest,
              scope,
              inner,
              code,
              (own, part, body) ->
                  merged(expr, rest, operands(expr, variable, lattice, part), part, own)
                      .emit(each, part, body));
    } else {
      merged(expr, rest, operands, scope, inner).emit(plan, scope, code);
    }
    inner.afterLoop(variable, scope, code);
  }

  /** Whether every operand has a position for each coordinate of the variable. */
  private boolean areFull(TensorExpr expr, IndexVar variable, Scope scope) {
    return expr.accesses().stream()
        .map(access -> iteration.levelAt(access, variable, scope))
        .allMatch(level -> level == null || level.full());
  }

  /**
   * How many cases of a loop are written out. The loops below a case are written out with it, so
   * that a nest of merges would grow with the product of their cases.
   */
  private int mostCases(long below) {
    return lattices.size() > MOST_LOOPS
        ? 1
        : below <= 1 ? MergeCases.MOST_CASES : MergeCases.MOST_CASES_IN_NESTS;
  }

  /** The loops over {@code operands}, with the values of their bodies going to {@code sink}. */
  private MergeLoops merged(
      TensorExpr expr, List<IndexVar> rest, MergeOperands operands, Scope scope, Sink sink) {
    IndexVar variable = operands.variable();
    MergeLattice lattice = operands.lattice();
    AppendSink roomy = knowsRoom(operands, sink) ? ((AppendSink) sink).withRoom() : null;
    MergeCases.Body each =
        (present, bound, body) -> {
          TensorExpr restricted = iteration.restrict(expr, variable, present, scope);
          body(restricted, List.of(variable), rest, bound, roomy == null ? sink : roomy, body);
        };
    long below = countLoops(expr, rest, scope.bind(variable, Expr.of(0)), sink);
    boolean leaf = roomy != null && roomy.appendsValues() && below == 0;
    MergeCases.Choice choice =
        roomy == null || !leaf
            ? null
            : (cases, complete, bound, body) ->
                choose(expr, variable, scope, cases, complete, bound, roomy, body);
    return new MergeLoops(
        operands,
        new MergeCases(operands, mostCases(below), each, choice),
        () -> tensors.extent(variable, scope),
        (access, level, range, p, inner, loop) ->
            prefetches.emit(
                new Prefetches.Counted(access, List.of(variable), List.of(level), range),
                expr,
                p,
                (at, before, code) -> {
                  Expr i = level.coordinate(at, new Ancestors(access, before));
                  return before.bind(variable, code.name(variable.name(), i));
                },
                inner,
                loop),
        appendsAlong(variable, sink),
        roomy == null ? null : roomy::makeRoom);
  }

  /** Whether coordinates of {@code variable} have to come in increasing order. */
  private static boolean appendsAlong(IndexVar variable, Sink sink) {
    return sink instanceof AppendSink && sink.variables().contains(variable);
  }

  /**
   * Whether the positions are counted that a loop appends: not much too many, where each has a
   * block of values.
   */
  private static boolean knowsRoom(MergeOperands operands, Sink sink) {
    MergeLattice lattice = operands.lattice();
    return sink instanceof AppendSink append
        && append.appendsAlong(operands.variable())
        && !lattice.isEmpty()
        && !lattice.points().get(0).universe()
        && (append.appendsValues() || operands.walks() == LoopFacts.Walks.POSITIONS);
  }

  /** The operands of {@code expr} in a loop over {@code variable}. */
  private MergeOperands operands(
      TensorExpr expr, IndexVar variable, MergeLattice lattice, Scope scope) {
    MergeOperands operands = new MergeOperands(variable, lattice);
    for (TensorExpr.Access access : expr.accesses()) {
      Level level = iteration.levelAt(access, variable, scope);
      if (level != null) {
        operands.add(access, level);
      }
    }
    return operands;
  }

  /** Appends the value of the case that applies, without a branch. */
  private void choose(
      TensorExpr expr,
      IndexVar variable,
      Scope outer,
      List<MergeCases.Case> cases,
      boolean complete,
      Scope bound,
      AppendSink sink,
      Code code) {
    Expr value = null;
    Expr stored = complete ? null : Presence.FALSE;
    for (int c = cases.size() - 1; c >= 0; c--) {
      MergeCases.Case each = cases.get(c);
      TensorExpr restricted = iteration.restrict(expr, variable, each.present(), outer);
      Scope held = cursors.advance(restricted.accesses(), each.scope(), code);
      held = cursors.hold(restricted.valueAccesses(), true, held, code);
      Expr own = code.name("value", values.of(restricted, held));
      value = value == null ? own : new Expr.Select(each.condition(), own, value, true);
      Expr present = present(restricted, held);
      if (present != null || stored != null) {
        Expr yes = present == null ? Presence.TRUE : present;
        Expr other = stored == null ? Presence.TRUE : stored;
        stored = new Expr.Select(each.condition(), yes, other);
      }
    }
    if (value != null) {
      sink.putIf(stored, value, bound, code);
    }
  }

  /** The body of a loop or case in which {@code entered} variables have just been bound. */
  void body(
      TensorExpr expr,
      List<IndexVar> entered,
      List<IndexVar> rest,
      Scope bound,
      Sink sink,
      Code code) {
    if (expr instanceof TensorExpr.Zero) {
      leaveCells(sink);
      return;
    }
    Scope scope = cursors.advance(expr.accesses(), bound, code);
    TensorExpr.Access memory = sink.memory();
    if (memory != null) {
      scope = cursors.advance(memory, scope, code);
    }
    boolean innermost = !hasLoops(expr, rest, scope, sink);
    scope = cursors.hold(expr.valueAccesses(), !innermost, scope, code);
    List<Sink> sinks = new ArrayList<>(List.of(sink));
    for (IndexVar variable : entered) {
      sinks.add(sinks.get(sinks.size() - 1).enter(variable, scope, code));
    }
    emit(expr, rest, scope, sinks.get(sinks.size() - 1), code);
    for (int i = entered.size() - 1; i >= 0; i--) {
      sinks.get(i + 1).leave(entered.get(i), scope, code);
    }
  }

  /** Whether a variable of {@code rest} has a loop to come. */
  static boolean hasLoops(TensorExpr expr, List<IndexVar> rest, Scope scope, Sink sink) {
    return countLoops(expr, rest, scope, sink) > 0;
  }

  /** Variables of {@code rest} that have loops to come. */
  private static long countLoops(TensorExpr expr, List<IndexVar> rest, Scope scope, Sink sink) {
    return rest.stream()
        .filter(
            v ->
                !scope.isBound(v)
                    && (sink.variables().contains(v) || expr.reducedVariables().contains(v)))
        .count();
  }
}
