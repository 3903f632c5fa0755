package org.weft.compiler.lower.merge;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Directive;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.lattice.LatticeOperand;
import org.weft.compiler.lattice.LatticePoint;
import org.weft.compiler.lattice.MergeLattice;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Ancestors;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.Cursor;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.schedule.LoopPlan;

/**
 * The loops over one index variable that a merge lattice asks for (Chou et al., figure 9).
 *
 * <p>A point that visits every coordinate becomes one counted loop, in which sparse operands wait
 * at their next coordinate. Another point becomes a loop that runs while all its operands last:
 * counted if it walks one operand without repeated coordinates, else a while loop over the least
 * coordinate.
 */
public final class MergeLoops {

  /** Told how many coordinates may come, in front of the loops over them. */
  public interface Room {
    void make(Expr most, Code code);
  }

  /** Told of every position of a loop that counts those of one operand, at its beginning. */
  public interface Ahead {
    void at(
        TensorExpr.Access walked,
        Level level,
        LevelEmitter.Range range,
        Expr position,
        Scope scope,
        Code loop);
  }

  private final MergeOperands operands;
  private final MergeCases cases;
  private final Supplier<Expr> size;
  private final Ahead ahead;
  private final boolean inOrder;
  private final @Nullable Room room;
  private final IndexVar variable;
  private final MergeLattice lattice;
  private LoopPlan plan = LoopPlan.SERIAL;

  /**
   * Loops over the operands' variable.
   *
   * @param size of the mode
   * @param ahead what else a loop over the positions of one operand does
   * @param inOrder whether coordinates have to come in increasing order, also from one operand
   * @param room has room made for all coordinates before loops over stored ones; null for no need
   */
  public MergeLoops(
      MergeOperands operands,
      MergeCases cases,
      Supplier<Expr> size,
      Ahead ahead,
      boolean inOrder,
      @Nullable Room room) {
    this.operands = operands;
    this.cases = cases;
    this.size = size;
    this.ahead = ahead;
    this.inOrder = inOrder;
    this.room = room;
    this.variable = operands.variable();
    this.lattice = operands.lattice();
  }

  /**
   * Emits the loops.
   *
   * @param how how they are cut into blocks, and their traits where they have a counter
   */
  public void emit(LoopPlan how, Scope scope, Code code) {
    plan = how;
    if (lattice.isEmpty()) {
      return;
    }
    if (plan.splitBy(Directive.SplitBy.COORDINATE) && scope.block(variable) == null) {
      LoopBlocks.ofCoordinates(variable, size.get(), plan, scope, code, this::whole);
    } else {
      whole(scope, code);
    }
  }

  /** All of the loop, or all of one block of it. */
  private void whole(Scope scope, Code code) {
    LatticePoint top = lattice.points().get(0);
    List<LatticeOperand> walked = operands.walked(top);
    if (top.universe()) {
      everyCoordinate(top, scope, code);
    } else if (!lattice.isSummary() && lattice.points().size() == 1 && walked.size() == 1) {
      LatticeOperand only = walked.get(0);
      LevelEmitter.Range range = operands.range(only, scope, code);
      OrderedCopy copy = inOrder ? operands.ordered(only, range, scope, code) : null;
      Expr begin = copy == null ? range.begin() : Expr.of(0);
      Expr end = copy == null ? range.end() : copy.count();
      if (room != null) {
        room.make(Expr.sub(end, begin), code);
      }
      single(top, only, begin, end, copy, scope, code);
    } else if (cases.shareBody()) {
      anyOperand(top, scope, code);
    } else {
      merge(scope, code);
    }
  }

  /** A counted loop, in which operands wait at their next coordinate. */
  private void everyCoordinate(LatticePoint point, Scope scope, Code code) {
    List<Walk> walks = new ArrayList<>();
    for (LatticeOperand operand : operands.walked(point)) {
      walks.add(operands.walk(operand, scope, code));
    }
    LoopVariable i = LoopVariable.integer(code.fresh(variable.name()));
    LevelEmitter.Range all =
        scope.block(variable) instanceof Block.Coordinates block
            ? new LevelEmitter.Range(block.from(), block.to())
            : new LevelEmitter.Range(Expr.of(0), size.get());
    LoopBlocks.counted(
        variable,
        i,
        all,
        walks.isEmpty() ? plan : LoopPlan.SERIAL,
        scope,
        code,
        (inner, loop) -> {
          walks.forEach(walk -> walk.peek(variable, size, loop));
          cases.emit(point, walks, Expr.of(i), inner.bind(variable, Expr.of(i)), loop);
        });
  }

  /** All operands of {@code point} in one loop, until the last of them ends. */
  private void anyOperand(LatticePoint point, Scope scope, Code code) {
    List<Walk> walks =
        operands.walked(point).stream().map(o -> operands.walk(o, scope, code)).toList();
    makeRoom(walks, code);
    Code loop = code.nested();
    Expr more = null;
    Expr least = null;
    for (Walk walk : walks) {
      more = more == null ? walk.lasts() : new Expr.Binary(Expr.Op.OR, more, walk.lasts());
      walk.peek(variable, size, loop);
      least = least == null ? walk.coordinate() : Expr.min(least, walk.coordinate());
    }
    Expr i = loop.name(variable.name(), require(least));
    cases.emit(point, walks, i, scope.bind(variable, i), loop);
    code.add(new Stmt.While(require(more), loop.block()));
  }

  /** A loop for every point, from the one with all operands to those with one. */
  private void merge(Scope scope, Code code) {
    Map<LatticeOperand, Walk> walks = new LinkedHashMap<>();
    for (LatticePoint point : lattice.points()) {
      for (LatticeOperand operand : operands.walked(point)) {
        if (!walks.containsKey(operand)) {
          walks.put(operand, operands.walk(operand, scope, code));
        }
      }
    }
    makeRoom(walks.values(), code);
    for (LatticePoint point : lattice.points()) {
      List<LatticeOperand> walked = operands.walked(point);
      if (lattice.isDone(point)) {
        continue;
      }
      if (walked.size() == 1 && lattice.cases(point).size() == 1) {
        Walk walk = require(walks.get(walked.get(0)));
        single(point, walked.get(0), walk.at(), walk.end(), walk.copy(), scope, code);
      } else {
        together(point, walked.stream().map(o -> require(walks.get(o))).toList(), scope, code);
      }
    }
  }

  private void makeRoom(Collection<Walk> walks, Code code) {
    if (room == null) {
      return;
    }
    boolean all = lattice.points().size() == 1 && !lattice.isSummary();
    Expr most = null;
    for (Walk walk : walks) {
      Expr own = Expr.sub(walk.end(), walk.at());
      most = most == null ? own : all ? Expr.min(most, own) : Expr.add(most, own);
    }
    room.make(require(most), code);
  }

  /** One operand alone, from a position on. */
  private void single(
      LatticePoint point,
      LatticeOperand operand,
      Expr begin,
      Expr end,
      @Nullable OrderedCopy copy,
      Scope scope,
      Code code) {
    Level level = operands.level(operand);
    TensorExpr.Access access = operands.access(operand);
    if (!level.unique()) {
      repeated(point, access, level, begin, end, scope, code);
      return;
    }
    int next = scope.cursor(access).next() + 1;
    LoopVariable p = LoopVariable.integer(code.fresh("p" + level.name()));
    LevelEmitter.Range range = new LevelEmitter.Range(begin, end);
    LoopBlocks.counted(
        variable,
        p,
        range,
        lattice.points().size() == 1 ? plan : LoopPlan.SERIAL,
        scope,
        code,
        (inner, loop) -> {
          if (copy == null && lattice.points().size() == 1) {
            ahead.at(access, level, range, Expr.of(p), inner, loop);
          }
          Expr labelled = copy == null ? level.labelled(Expr.of(p)) : null;
          Code there = labelled == null ? loop : loop.nested();
          Expr here =
              copy == null
                  ? level.coordinate(Expr.of(p), new Ancestors(access, inner))
                  : copy.coordinate(Expr.of(p));
          Expr i = there.name(variable.name(), here);
          Scope at = inner.bind(variable, i);
          Expr position =
              copy == null ? Expr.of(p) : there.name(p.name() + "_at", copy.position(Expr.of(p)));
          Cursor cursor = Cursor.at(next, position);
          cases.whereFound(point, i, at.withCursor(access.id(), cursor), there);
          if (labelled != null) {
            loop.when(labelled, there);
          }
        });
  }

  /** One operand alone whose coordinates repeat. */
  private void repeated(
      LatticePoint point,
      TensorExpr.Access access,
      Level level,
      Expr begin,
      Expr end,
      Scope scope,
      Code code) {
    MergeOperands.requireOrdered(level);
    LoopVariable p = code.declare("p" + level.name(), begin);
    Expr last = code.name("p" + level.name() + "_end", end);
    Walk walk = new Walk(access, level, p, last, null, scope);
    Code loop = code.nested();
    Expr i = walk.read(variable.name(), loop);
    walk.findSegment(loop);
    Scope at = scope.bind(variable, i).withCursor(access.id(), walk.cursor(scope, loop));
    cases.whereFound(point, i, at, loop);
    walk.step(loop);
    code.add(new Stmt.While(walk.lasts(), loop.block()));
  }

  /** Several operands, while all of them last. */
  private void together(LatticePoint point, List<Walk> walks, Scope scope, Code code) {
    if (cases.needsAll(point, walks)) {
      walks.forEach(walk -> walk.compareLength(walks, code));
    }
    Code loop = code.nested();
    Expr condition = null;
    Expr least = null;
    for (Walk walk : walks) {
      condition = condition == null ? walk.lasts() : Expr.and(condition, walk.lasts());
      Expr here = walk.read(variable.name() + walk.level().name(), loop);
      least = least == null ? here : Expr.min(least, here);
    }
    Expr i = loop.name(variable.name(), require(least));
    cases.whileAllLast(point, walks, i, scope.bind(variable, i), loop);
    code.add(new Stmt.While(require(condition), loop.block()));
  }

  private static <T> T require(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("a point of the lattice walks no operand");
    }
    return value;
  }
}
