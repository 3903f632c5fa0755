package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.RewriteRule;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.lattice.MergeLattice;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;

/**
 * Emits the loops of an expression by recursion over the index variables in loop order (Chou et
 * al., figure 9).
 *
 * <p>At each variable the expression is one of three things. The variable addresses the sink: a
 * loop over it. The expression is a reduction over it: a loop that accumulates, into the sink if
 * that takes scattered values, else into a temporary. A part of the expression is a reduction over
 * it: that part is computed into a temporary, which takes its place.
 */
final class LoopNest {
  private final Tensors tensors;
  private final Values values;
  private final Iteration iteration;
  private final Cursors cursors;
  private final Temporaries temporaries;
  private final @Nullable FusedAccess fused;
  private final boolean parallel;
  private final List<String> lattices = new ArrayList<>();

  LoopNest(Tensors tensors, Values values, @Nullable FusedAccess fused, boolean parallel) {
    this.tensors = tensors;
    this.values = values;
    this.iteration = new Iteration(tensors);
    this.cursors = new Cursors(tensors, values);
    this.temporaries = new Temporaries(tensors, values, iteration, this);
    this.fused = fused;
    this.parallel = parallel;
  }

  /** The merge lattices, in the order in which loops were emitted, one line each. */
  String lattices() {
    return lattices.stream().distinct().map(line -> line + "\n").collect(Collectors.joining());
  }

  /**
   * Emits code that puts every value of {@code expr} into {@code sink}.
   *
   * @param order the variables that have no loop yet, outermost first; those that neither {@code
   *     expr} nor {@code sink} uses are passed over
   */
  void emit(TensorExpr expr, List<IndexVar> order, Scope scope, Sink sink, Code code) {
    if (expr instanceof TensorExpr.Zero) {
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
      if (fused != null && isFusedHere(fused, variable, expr, scope)) {
        fused(
            fused,
            expr,
            order.subList(at + fused.variables().size(), order.size()),
            scope,
            sink,
            code);
        return;
      } else if (sink.variables().contains(variable)) {
        loop(expr, variable, rest, scope, sink, code);
        return;
      } else if (expr.reducedVariables().contains(variable)) {
        reduce(expr, variable, order.subList(at, order.size()), scope, sink, code);
        return;
      }
    }
    put(expr, scope, sink, code);
  }

  private void put(TensorExpr expr, Scope scope, Sink sink, Code code) {
    Scope held = cursors.hold(expr.accesses(), false, scope, code);
    Code store = code.nested();
    sink.put(values.of(expr, held), held, store);
    wrap(sink.tracksPresence() ? present(expr, held) : null, store, code);
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
    if (sink.scatters(unbound, small)) {
      TensorExpr body = Reductions.without(expr, List.of(variable));
      loop(body, variable, order.subList(1, order.size()), scope, sink.accumulating(), code);
    } else {
      temporaries.replace(reduction, expr, order, scope, sink, code);
    }
  }

  private void loop(
      TensorExpr unhoisted,
      IndexVar variable,
      List<IndexVar> rest,
      Scope outer,
      Sink sink,
      Code code) {
    HoistScalars hoist = new HoistScalars(tensors, values, iteration, outer, code);
    TensorExpr expr = RewriteRule.rewrite(unhoisted, hoist);
    Scope scope = hoist.scope();
    MergeLattice lattice = MergeLattice.of(iteration.set(expr, variable, scope));
    lattices.add(variable + ": " + expr + ": " + lattice);
    Sink inner = sink.beforeLoop(variable, scope, code);
    LoopTraits traits = traits(expr, variable, rest, scope, sink, lattice);
    MergeLoops loops =
        new MergeLoops(
            variable,
            () -> tensors.size(variable),
            lattice,
            traits,
            (present, bound, body) -> {
              TensorExpr restricted = iteration.restrict(expr, variable, present, scope);
              body(restricted, List.of(variable), rest, bound, inner, body);
            });
    for (TensorExpr.Access access : expr.accesses()) {
      Level level = iteration.levelAt(access, variable, scope);
      if (level != null) {
        if (sink instanceof AppendSink && sink.variables().contains(variable)) {
          MergeLoops.requireOrdered(level);
        }
        TensorLayout layout = tensors.layout(access.tensor());
        loops.operand(access, level, layout.levels().subList(level.number() + 1, layout.order()));
      }
    }
    loops.emit(scope, code);
    inner.afterLoop(variable, scope, code);
  }

  /** The body of a loop or case in which {@code entered} variables have just been bound. */
  private void body(
      TensorExpr expr,
      List<IndexVar> entered,
      List<IndexVar> rest,
      Scope bound,
      Sink sink,
      Code code) {
    if (expr instanceof TensorExpr.Zero) {
      return;
    }
    Scope scope = cursors.advance(expr.accesses(), bound, code);
    TensorExpr.Access memory = sink.memory();
    if (memory != null) {
      scope = cursors.advance(memory, scope, code);
    }
    boolean innermost = !hasLoops(expr, rest, scope, sink);
    scope = cursors.hold(expr.accesses(), !innermost, scope, code);
    List<Sink> sinks = new ArrayList<>(List.of(sink));
    for (IndexVar variable : entered) {
      sinks.add(sinks.get(sinks.size() - 1).enter(variable, scope, code));
    }
    emit(expr, rest, scope, sinks.get(sinks.size() - 1), code);
    for (int i = entered.size() - 1; i >= 0; i--) {
      sinks.get(i + 1).leave(entered.get(i), scope, code);
    }
  }

  private static boolean hasLoops(TensorExpr expr, List<IndexVar> rest, Scope scope, Sink sink) {
    return rest.stream()
        .anyMatch(
            v ->
                !scope.isBound(v)
                    && (sink.variables().contains(v) || expr.reducedVariables().contains(v)));
  }

  private LoopTraits traits(
      TensorExpr expr,
      IndexVar variable,
      List<IndexVar> rest,
      Scope scope,
      Sink sink,
      MergeLattice lattice) {
    boolean disjoint =
        sink instanceof MemorySink memory
            && !memory.temporary()
            && memory.variables().contains(variable);
    if (parallel && scope.isOutermost() && disjoint && lattice.points().size() == 1) {
      return LoopTraits.PARALLEL;
    }
    boolean walksAll =
        expr.accesses().stream()
            .map(access -> iteration.levelAt(access, variable, scope))
            .allMatch(level -> level == null || level.random());
    boolean innermost = !hasLoops(expr, rest, scope.bind(variable, Expr.of(0)), sink);
    return walksAll && innermost && sink.independent(variable)
        ? LoopTraits.VECTOR
        : LoopTraits.SERIAL;
  }

  private boolean isFusedHere(
      FusedAccess candidate, IndexVar variable, TensorExpr expr, Scope scope) {
    return candidate.variables().get(0).equals(variable)
        && expr.accesses().stream().anyMatch(a -> a.id() == candidate.access().id())
        && scope.cursor(candidate.access()).next() == candidate.first();
  }

  private void fused(
      FusedAccess chain, TensorExpr expr, List<IndexVar> rest, Scope scope, Sink sink, Code code) {
    TensorLayout layout = tensors.layout(chain.access().tensor());
    Level first = layout.level(chain.first());
    Cursor parent = scope.cursor(chain.access());
    var range = first.emitter().positions(first, parent.begin(), parent.endOrNext());
    LoopVariable p = LoopVariable.integer(code.fresh("p" + layout.tensor().name()));
    TensorExpr body = Reductions.without(expr, chain.variables());
    lattices.add(chain.variables() + ": " + expr + ": {" + chain.access() + "} fused");
    Code loop = code.nested();
    Scope bound = scope;
    Expr position = Expr.of(p);
    for (int number = chain.first(); number <= chain.last(); number++) {
      Level level = layout.level(number);
      if (number > chain.first()) {
        Expr next = Expr.add(position, Expr.of(1));
        position = level.emitter().positions(level, position, next).begin();
      }
      IndexVar variable = chain.access().variableAt(number);
      Expr coordinate = loop.name(variable.name(), level.emitter().coordinate(level, position));
      bound = bound.bind(variable, coordinate);
    }
    bound = bound.withCursor(chain.access().id(), new Cursor(chain.last() + 1, position, null));
    body(body, chain.variables(), rest, bound, sink.accumulating(), loop);
    code.add(new Stmt.For(p, range.begin(), range.end(), loop.block(), LoopTraits.SERIAL));
  }
}
