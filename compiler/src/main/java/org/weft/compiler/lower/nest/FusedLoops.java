package org.weft.compiler.lower.nest;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Directive;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.lower.merge.LoopBlocks;
import org.weft.compiler.lower.merge.Prefetches;
import org.weft.compiler.lower.operand.Ancestors;
import org.weft.compiler.lower.operand.Cursor;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.rewrite.FusedAccess;
import org.weft.compiler.lower.rewrite.Reductions;
import org.weft.compiler.lower.schedule.Directives;
import org.weft.compiler.lower.schedule.LoopFacts;
import org.weft.compiler.lower.schedule.LoopPlan;
import org.weft.compiler.lower.sink.Sink;

/**
 * The one loop over several variables that a {@link FusedAccess} stands for: it walks the positions
 * of the first of its levels, and reads the coordinates of all of them at each.
 */
final class FusedLoops {
  private final FusedAccess chain;
  private final KernelTensors tensors;
  private final Directives directives;
  private final PrivateSums privateSums;
  private final Prefetches prefetches;
  private final LoopNest nest;

  FusedLoops(
      FusedAccess chain,
      KernelTensors tensors,
      Directives directives,
      PrivateSums privateSums,
      Prefetches prefetches,
      LoopNest nest) {
    this.chain = chain;
    this.tensors = tensors;
    this.directives = directives;
    this.privateSums = privateSums;
    this.prefetches = prefetches;
    this.nest = nest;
  }

  /** Whether the loop over {@code variable} is the chain's. */
  boolean beginAt(IndexVar variable, TensorExpr expr, Scope scope) {
    return chain.variables().get(0).equals(variable)
        && expr.accesses().stream().anyMatch(a -> a.id() == chain.access().id())
        && scope.cursor(chain.access()).next() == chain.first();
  }

  /**
   * Emits the loop.
   *
   * @param order the variables that have no loop yet: those of the chain, and then others
   */
  void emit(TensorExpr expr, List<IndexVar> order, Scope scope, Sink sink, Code code) {
    List<IndexVar> rest = order.subList(chain.variables().size(), order.size());
    loop(expr, rest, scope, sink, code);
  }

  private void loop(TensorExpr expr, List<IndexVar> rest, Scope scope, Sink closed, Code code) {
    Sink sink = closed.opened(code);
    nest.leaveCells(sink);
    IndexVar outermost = chain.variables().get(0);
    boolean adds =
        !(expr instanceof TensorExpr.Reduce) || Fold.of(expr).operator() == Operator.PLUS;
    if (adds && privateSums.apply(outermost, true, sink, scope)) {
      List<IndexVar> open =
          Stream.concat(chain.variables().stream(), rest.stream())
              .filter(v -> sink.variables().contains(v) && !scope.isBound(v))
              .toList();
      privateSums.emit(
          expr,
          outermost,
          true,
          open,
          scope,
          sink,
          code,
          (inner, own, share) -> loop(expr, rest, inner, own, share));
      return;
    }
    boolean innermost = !LoopNest.hasLoops(expr, rest, bindAll(scope), sink);
    LoopFacts facts =
        LoopFacts.of(outermost, LoopFacts.Walks.POSITIONS, sink, innermost, scope).repeating();
    LoopPlan plan = directives.plan(outermost, facts);
    nest.note(() -> chain.variables() + ": " + expr + ": {" + chain.access() + "} fused");
    if (plan.splitBy(Directive.SplitBy.COORDINATE) && scope.block(outermost) == null) {
      Expr size = tensors.size(outermost);
      LoopBlocks.ofCoordinates(
          outermost,
          size,
          plan,
          scope,
          code,
          (inner, block) -> walk(plan, expr, rest, inner, sink, block));
    } else {
      walk(plan, expr, rest, scope, sink, code);
    }
  }

  private Scope bindAll(Scope scope) {
    Scope bound = scope;
    for (IndexVar variable : chain.variables()) {
      bound = bound.bind(variable, Expr.of(0));
    }
    return bound;
  }

  private void walk(
      LoopPlan plan, TensorExpr expr, List<IndexVar> rest, Scope scope, Sink sink, Code code) {
    TensorLayout layout = tensors.layout(chain.access().tensor());
    IndexVar outermost = chain.variables().get(0);
    Level first = layout.level(chain.first());
    Cursor parent = scope.cursor(chain.access());
    LevelEmitter.Range every = first.walk(parent.begin(), parent.endOrNext());
    LevelEmitter.Range all = scope.clipped(chain.access().id(), first, every);
    LoopFacts.Walks walks = LoopFacts.Walks.POSITIONS;
    LevelEmitter.Range range =
        LoopBlocks.part(outermost, all, first, chain.access(), walks, scope, code);
    LoopVariable p = LoopVariable.integer(code.fresh("p" + layout.tensor().name()));
    Prefetches.Counted counted =
        new Prefetches.Counted(
            chain.access(),
            chain.variables(),
            layout.levels().subList(chain.first(), chain.last() + 1),
            range);
    TensorExpr body = Reductions.without(expr, chain.variables());
    LoopBlocks.counted(
        outermost,
        p,
        range,
        plan,
        scope,
        code,
        (inner, loop) -> {
          prefetches.emit(
              counted,
              expr,
              Expr.of(p),
              (at, before, ahead) -> bind(layout, at, before, ahead),
              inner,
              loop);
          Expr labelled = labelled(layout, Expr.of(p));
          Code there = labelled == null ? loop : loop.nested();
          Scope bound = bind(layout, Expr.of(p), inner, there);
          nest.body(body, chain.variables(), rest, bound, sink.reducing(Fold.SUM), there);
          if (labelled != null) {
            loop.when(labelled, there);
          }
        });
  }

  /** Whether all fused levels have a coordinate at a position of the first; null when always. */
  private @Nullable Expr labelled(TensorLayout layout, Expr first) {
    Expr all = null;
    Expr position = first;
    for (int number = chain.first(); number <= chain.last(); number++) {
      Level level = layout.level(number);
      if (number > chain.first()) {
        position = level.walk(position, Expr.add(position, Expr.of(1))).begin();
      }
      Expr labelled = level.labelled(position);
      all = all == null ? labelled : labelled == null ? all : Expr.and(all, labelled);
    }
    return all;
  }

  /** Reads the coordinates of all fused levels at a position of the first. */
  private Scope bind(TensorLayout layout, Expr first, Scope scope, Code loop) {
    Scope bound = scope;
    Expr position = first;
    for (int number = chain.first(); number <= chain.last(); number++) {
      Level level = layout.level(number);
      if (number > chain.first()) {
        Expr next = Expr.add(position, Expr.of(1));
        position = level.walk(position, next).begin();
      }
      IndexVar variable = chain.access().variableAt(number);
      Expr read = level.coordinate(position, new Ancestors(chain.access(), bound));
      bound = bound.bind(variable, loop.name(variable.name(), read));
    }
    return bound.withCursor(chain.access().id(), Cursor.at(chain.last() + 1, position));
  }
}
