package org.weft.compiler.lower.merge;

import org.weft.compiler.Directive;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Ancestors;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.Workspaces;
import org.weft.compiler.lower.schedule.LoopFacts;
import org.weft.compiler.lower.schedule.LoopPlan;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * Counted loops, and loops over blocks of them.
 *
 * <p>Split by position: {@code for b { for p in [begin + b f, begin + b f + f) }}: every block has
 * the same number of stored entries. Split by coordinate: {@code for b { for i in [b f, b f + f)
 * }}, in which every operand that is walked starts at the first of its coordinates in the block,
 * found by binary search, so that no block needs the one before.
 */
public final class LoopBlocks {
  private LoopBlocks() {}

  /** What is inside a loop. */
  public interface Body {
    void emit(Scope scope, Code code);
  }

  /** Blocks of equal numbers of coordinates of {@code variable}. */
  public static void ofCoordinates(
      IndexVar variable, Expr size, LoopPlan plan, Scope scope, Code code, Body body) {
    Expr factor = Expr.of(plan.factor());
    Expr count = code.name(variable.name() + "_blocks", Block.divideUp(size, plan.factor()));
    LoopVariable b = LoopVariable.integer(code.fresh(variable.name() + "_block"));
    LevelEmitter.Range all = new LevelEmitter.Range(Expr.of(0), count);
    simple(
        b,
        all,
        plan.blocks(),
        scope,
        code,
        (inner, loop) -> {
          Expr from = loop.name(variable.name() + "_from", Expr.mul(Expr.of(b), factor));
          Expr to = loop.name(variable.name() + "_to", Expr.min(Expr.add(from, factor), size));
          body.emit(inner.withBlock(variable, new Block.Coordinates(from, to)), loop);
        });
  }

  /** The positions in {@code range} of a level that the place in {@code scope} is about. */
  public static LevelEmitter.Range part(
      IndexVar variable,
      LevelEmitter.Range range,
      Level level,
      TensorExpr.Access access,
      LoopFacts.Walks walks,
      Scope scope,
      Code code) {
    Block block = scope.block(variable);
    if (block instanceof Block.Coordinates coordinates) {
      MergeOperands.requireOrdered(level);
      return coordinates.narrow(range, level, new Ancestors(access, scope), code);
    } else if (block instanceof Block.Positions positions) {
      return new LevelEmitter.Range(positions.from(), positions.to());
    } else if (block != null && !walks.counted()) {
      throw new WeftException(
          ErrorCode.INVALID_SCHEDULE,
          "split("
              + variable
              + ":position:...) is illegal: the loop "
              + walks
              + ", so that its positions have no common count; split by coordinate instead");
    }
    return range;
  }

  /** A loop that counts through {@code range}, cut into blocks where the plan says so. */
  public static void counted(
      IndexVar variable,
      LoopVariable counter,
      LevelEmitter.Range range,
      LoopPlan plan,
      Scope scope,
      Code code,
      Body body) {
    if (scope.block(variable) instanceof Block.Share share) {
      simple(counter, share.of(range, code), plan.inner(), scope, code, body);
      return;
    }
    if (!plan.splitBy(Directive.SplitBy.POSITION)) {
      simple(counter, range, plan.inner(), scope, code, body);
      return;
    }
    Expr factor = Expr.of(plan.factor());
    Expr begin = code.name(counter.name() + "_begin", range.begin());
    Expr end = code.name(counter.name() + "_end", range.end());
    Expr trips = Block.divideUp(Expr.sub(end, begin), plan.factor());
    Expr count = code.name(counter.name() + "_blocks", trips);
    LoopVariable b = LoopVariable.integer(code.fresh(counter.name() + "_block"));
    simple(
        b,
        new LevelEmitter.Range(Expr.of(0), count),
        plan.blocks(),
        scope,
        code,
        (inner, loop) -> {
          Expr start = Expr.add(begin, Expr.mul(Expr.of(b), factor));
          Expr from = loop.name(counter.name() + "_from", start);
          Expr to = loop.name(counter.name() + "_to", Expr.min(Expr.add(from, factor), end));
          LevelEmitter.Range part = new LevelEmitter.Range(from, to);
          simple(counter, part, plan.inner(), inner, loop, body);
        });
  }

  /** A counted loop; a parallel one has workspaces of its own in every iteration. */
  public static void simple(
      LoopVariable counter,
      LevelEmitter.Range range,
      LoopTraits traits,
      Scope scope,
      Code code,
      Body body) {
    Code loop = code.nested();
    if (traits.parallel()) {
      Workspaces own = new Workspaces(code.nested());
      Code inside = code.nested();
      body.emit(scope.withWorkspaces(own), inside);
      loop.addAll(own.allocations());
      loop.addAll(inside);
      own.freeAll(loop);
    } else {
      body.emit(scope, loop);
    }
    code.add(new Stmt.For(counter, range.begin(), range.end(), loop.block(), traits));
  }
}
