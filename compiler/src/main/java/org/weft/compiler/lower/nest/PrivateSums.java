package org.weft.compiler.lower.nest;

import java.util.ArrayList;
import java.util.List;
import org.weft.compiler.Directive;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.merge.LoopBlocks;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.Values;
import org.weft.compiler.lower.schedule.Directives;
import org.weft.compiler.lower.sink.MemorySink;
import org.weft.compiler.lower.sink.ScalarSink;
import org.weft.compiler.lower.sink.Sink;

/**
 * Parallel loops whose iterations add to the same cells:
 *
 * <pre>
 * y = sum_k e   becomes   parallel for s in [0, 16): w(s) = sum of e over share s of k
 *                         y = sum_s w(s)
 * </pre>
 *
 * Every share has cells of its own, and shares are added up in order, so that a result does not
 * depend on the number of threads or on timing. Legal where values are only added: into a register
 * or into memory with random access that need not know which cells have entries. Memory: 16 times
 * the cells that one reduction adds to.
 */
final class PrivateSums {
  /** More than threads of most machines, so that shares even out; few enough to add up quickly. */
  private static final int SHARES = Directive.Parallel.SHARES;

  /** Emits the loops of one share, whose values go to {@code sink}. */
  interface Share {
    void emit(Scope scope, Sink sink, Code code);
  }

  private final KernelTensors tensors;
  private final Values values;
  private final Temporaries temporaries;
  private final Directives directives;
  private final LoopNest nest;

  PrivateSums(
      KernelTensors tensors,
      Values values,
      Temporaries temporaries,
      Directives directives,
      LoopNest nest) {
    this.tensors = tensors;
    this.values = values;
    this.temporaries = temporaries;
    this.directives = directives;
    this.nest = nest;
  }

  /**
   * Whether the sums over {@code variable} are to be added up in parallel, and may be.
   *
   * @param fused whether one operand's positions are walked, so that coordinates may repeat
   */
  boolean apply(IndexVar variable, boolean fused, Sink sink, Scope scope) {
    Directive.Parallel directive = directives.parallel(variable).orElse(null);
    boolean sums = sink instanceof ScalarSink || sink instanceof MemorySink;
    if (directive == null
        || !sums
        || sink.tracksPresence()
        || scope.isParallel()
        || scope.block(variable) != null) {
      return false;
    }
    boolean byCoordinate =
        directives
            .schedule()
            .split(variable.name())
            .filter(s -> s.by() == Directive.SplitBy.COORDINATE)
            .isPresent();
    if (fused && byCoordinate && sink.variables().contains(variable)) {
      return false;
    }
    return directives.follow(directive);
  }

  /**
   * Emits {@code expr}, a reduction over {@code variable}.
   *
   * @param open the variables of the sink that have no loop yet
   */
  void emit(
      TensorExpr expr,
      IndexVar variable,
      boolean fused,
      List<IndexVar> open,
      Scope scope,
      Sink sink,
      Code code,
      Share body) {
    IndexVar share = tensors.freshVariable(variable.name() + "_share", SHARES);
    List<IndexVar> cells = new ArrayList<>(List.of(share));
    cells.addAll(open);
    TensorExpr.Access sums = temporaries.dense(expr, cells, scope, code);
    Buffer vals = tensors.layout(sums.tensor()).vals();
    TensorExpr.Access target =
        new TensorExpr.Access(tensors.freshAccessId(), sums.tensor(), cells, sums.span());
    LoopVariable number = LoopVariable.integer(code.fresh(share.name()));
    LoopBlocks.simple(
        number,
        new LevelEmitter.Range(Expr.of(0), Expr.of(SHARES)),
        LoopTraits.PARALLEL,
        scope,
        code,
        (inner, loop) -> {
          Block block = block(variable, fused, Expr.of(number), loop);
          Scope own = inner.bind(share, Expr.of(number)).withBlock(variable, block);
          Scope located = nest.locate(target, own, loop);
          if (open.isEmpty()) {
            LoopVariable sum = loop.declare(share.name() + "_sum", values.zero());
            body.emit(located, new ScalarSink(sum, Fold.SUM, null), loop);
            loop.add(new Stmt.Store(vals, located.cursor(target).begin(), Expr.of(sum)));
          } else {
            body.emit(located, new MemorySink(target, vals, Fold.SUM, false, null), loop);
          }
        });
    nest.emit(new TensorExpr.Reduce(share, sums), cells, scope, sink, code);
  }

  private Block block(IndexVar variable, boolean fused, Expr number, Code code) {
    Directive.Split split = directives.schedule().split(variable.name()).orElse(null);
    long least = split == null ? 1 : split.factor();
    Block.Share share = new Block.Share(number, SHARES, least);
    boolean positions = split == null ? fused : split.by() == Directive.SplitBy.POSITION;
    if (positions) {
      return share;
    }
    LevelEmitter.Range all = new LevelEmitter.Range(Expr.of(0), tensors.size(variable));
    LevelEmitter.Range part = share.of(all, code);
    return new Block.Coordinates(part.begin(), part.end());
  }
}
