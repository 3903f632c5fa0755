package org.weft.compiler.lower.merge;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Ancestors;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.Cursor;
import org.weft.compiler.lower.operand.Presence;
import org.weft.compiler.lower.operand.Scope;

/**
 * An operand on its way through the positions of a level, or through a sorted copy of them. A
 * coordinate that repeats makes a segment of positions, which are passed over together.
 */
final class Walk {
  private static final int MUCH_LONGER = 8; // leaps and steps take as long there

  private final TensorExpr.Access access;
  private final Level level;
  private final LoopVariable position;
  private final Expr end;
  private final LevelEmitter.Path path;
  private final @Nullable OrderedCopy copy;
  private final boolean anew;
  private @Nullable Expr leaps;
  private @Nullable Expr coordinate;
  private @Nullable LoopVariable segmentEnd;

  /** Position of the coordinate in a copy where all cases share a body. */
  private @Nullable LoopVariable child;

  /**
   * A walk that starts at {@code position}.
   *
   * @param copy what is walked in place of the level; null for the level itself
   */
  Walk(
      TensorExpr.Access access,
      Level level,
      LoopVariable position,
      Expr end,
      @Nullable OrderedCopy copy,
      Scope scope) {
    this.access = access;
    this.level = level;
    this.position = position;
    this.end = end;
    this.copy = copy;
    this.path = new Ancestors(access, scope);
    IndexVar around = scope.innermost();
    this.anew = around != null && !access.variables().contains(around);
  }

  TensorExpr.Access access() {
    return access;
  }

  Level level() {
    return level;
  }

  LoopVariable position() {
    return position;
  }

  Expr end() {
    return end;
  }

  @Nullable OrderedCopy copy() {
    return copy;
  }

  Expr at() {
    return Expr.of(position);
  }

  /** Whether positions are left. */
  Expr lasts() {
    return Expr.lessThan(at(), end);
  }

  /** Whether every position has a coordinate, and no other position has the same. */
  boolean isPlain() {
    return level.unique() && isSorted();
  }

  /** Whether every position of the level itself has a coordinate, none below one before it. */
  private boolean isSorted() {
    return copy == null && level.labelled(at()) == null;
  }

  /** The coordinate that was read last. */
  Expr coordinate() {
    if (coordinate == null) {
      throw new IllegalStateException("coordinate of " + level.name() + " was not read");
    }
    return coordinate;
  }

  /** Reads the coordinate of an operand that has not ended, into a variable named so. */
  Expr read(String name, Code code) {
    segmentEnd = null;
    coordinate = code.name(name, coordinateAt(at()));
    return coordinate;
  }

  /** Reads the coordinate of an operand that may have ended; then it is past every coordinate. */
  void peek(IndexVar variable, Supplier<Expr> size, Code code) {
    LoopVariable seen = code.declare(variable.name() + level.name(), size.get());
    Code read = code.nested();
    read.assign(seen, coordinateAt(at()));
    code.when(lasts(), read);
    coordinate = Expr.of(seen);
  }

  private Expr coordinateAt(Expr there) {
    return copy == null ? level.coordinate(there, path) : copy.coordinate(there);
  }

  /** Finds the positions that share the coordinate, of which there is one at least. */
  void findSegment(Code code) {
    segmentEnd = code.declare("p" + level.name() + "_seg", Expr.add(at(), Expr.of(1)));
    skipRepeated(segmentEnd, code);
  }

  /** Finds the positions that have the coordinate {@code i}: none where the next one is another. */
  void findSegment(Expr i, Code code) {
    LoopVariable segment = code.declare("p" + level.name() + "_seg", at());
    segmentEnd = segment;
    Code found = code.nested();
    found.assign(segment, Expr.add(at(), Expr.of(1)));
    if (!level.unique()) {
      skipRepeated(segment, found);
    }
    if (copy != null) {
      child = code.declare(position.name() + "_child", Expr.of(0));
      found.assign(child, copy.position(at()));
    }
    code.when(Expr.equal(coordinate(), i), found);
  }

  /** Moves the end of the segment past all positions that repeat the coordinate. */
  private void skipRepeated(LoopVariable segment, Code code) {
    Expr last = Expr.sub(end, Expr.of(1));
    Expr there = coordinateAt(Expr.min(Expr.of(segment), last));
    Expr repeats = Expr.and(Expr.lessThan(Expr.of(segment), end), Expr.equal(there, coordinate()));
    code.add(
        new Stmt.While(
            repeats,
            Stmt.Block.of(new Stmt.Assign(segment, Expr.add(Expr.of(segment), Expr.of(1))))));
  }

  /** Moves past the present coordinate. */
  void step(Code code) {
    Expr next = segmentEnd == null ? Expr.add(at(), Expr.of(1)) : Expr.of(segmentEnd);
    code.assign(position, next);
  }

  /**
   * Has a walk that begins anew, over the same positions, in each iteration of the loop around it
   * compare its length with those of the others in an intersection: if it is much longer than one
   * of them it leaps. Leaps among as many positions would take twice the time of steps.
   */
  void compareLength(List<Walk> all, Code code) {
    if (!anew || !isSorted()) {
      return;
    }
    Expr least =
        all.stream().filter(walk -> walk != this).map(Walk::left).reduce(Expr::min).orElseThrow();
    Expr much = Expr.lessThan(Expr.mul(least, Expr.of(MUCH_LONGER)), left());
    leaps = code.name(position.name() + "_leaps", much);
  }

  /** Whether {@link #compareLength} has made this walk one that leaps in some of its rounds. */
  boolean mayLeap() {
    return leaps != null;
  }

  private Expr left() {
    return Expr.sub(end, at());
  }

  /**
   * Where the walk leaps, moves it to the first coordinate that is not below {@code target}: by
   * strides that double, then by halves. Cost {@code O(log(positions that are passed))}.
   */
  void leap(Expr target, Code code) {
    if (leaps == null) {
      return;
    }
    Code far = code.nested();
    LoopVariable stride = far.declare(position.name() + "_stride", Expr.of(1));
    Expr ahead = Expr.add(at(), Expr.of(stride));
    Stmt twice = new Stmt.Assign(stride, Expr.mul(Expr.of(stride), Expr.of(2)));
    far.add(new Stmt.While(isBelow(target, ahead), Stmt.Block.of(twice)));
    Expr half = Expr.binary(Expr.Op.DIV, Expr.of(stride), Expr.of(2));
    Expr from = Expr.add(Expr.add(at(), half), Expr.of(1));
    Expr to = Expr.min(ahead, end);
    far.assign(position, Block.Coordinates.search(from, to, target, level, path, far));
    Code leap = code.nested();
    leap.when(isBelow(target, at()), far);
    code.when(leaps, leap);
  }

  /** Whether a position is left whose coordinate is below {@code target}. */
  private Expr isBelow(Expr target, Expr there) {
    Expr last = Expr.sub(end, Expr.of(1));
    Expr below = Expr.lessThan(coordinateAt(Expr.min(there, last)), target);
    return Expr.and(Expr.lessThan(there, end), below);
  }

  /** Moves past positions without a coordinate. */
  void skipUnlabelled(Code code) {
    Expr labelled = copy == null ? level.labelled(at()) : null;
    if (labelled == null) {
      return;
    }
    LoopVariable skip = code.declare(position.name() + "_skip", lasts());
    Code step = code.nested();
    step.assign(position, Expr.add(at(), Expr.of(1)));
    step.assign(skip, lasts());
    Stmt stop = Stmt.Block.of(new Stmt.Assign(skip, Presence.FALSE));
    code.add(
        new Stmt.While(Expr.of(skip), Stmt.Block.of(new Stmt.If(labelled, stop, step.block()))));
  }

  /** The operand's place where it has the coordinate; {@code code} runs in front of its use. */
  Cursor cursor(Scope scope, Code code) {
    Expr begin = copy == null ? at() : code.name(position.name() + "_at", copy.position(at()));
    return segmentEnd == null
        ? Cursor.at(below(scope), begin)
        : new Cursor(below(scope), begin, Expr.of(segmentEnd), !level.unique());
  }

  /** {@code scope} with the operand's place in a segment, and whether the segment is not empty. */
  Scope inSegment(Scope scope) {
    if (segmentEnd == null) {
      throw new IllegalStateException("segment of " + level.name() + " was not found");
    }
    Expr begin = at();
    Expr until = Expr.of(segmentEnd);
    Expr present = Expr.lessThan(begin, until);
    if (child != null) {
      begin = Expr.of(child);
      until = new Expr.Select(present, Expr.add(begin, Expr.of(1)), begin);
    }
    return scope
        .withCursor(access.id(), new Cursor(below(scope), begin, until, !level.unique()))
        .withPresence(access.id(), present);
  }

  private int below(Scope scope) {
    return scope.cursor(access).next() + 1;
  }
}
