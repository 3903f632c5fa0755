package org.weft.compiler.lower.operand;

import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;

/** The part of the loop over a variable that one block of it covers. */
public sealed interface Block {
  /** Coordinates {@code [from, to)}. */
  record Coordinates(Expr from, Expr to) implements Block {
    /** The positions of {@code range} whose coordinates are in the block: two binary searches. */
    public LevelEmitter.Range narrow(
        LevelEmitter.Range range, Level level, LevelEmitter.Path path, Code code) {
      Expr end = code.name("p" + level.name() + "_end", range.end());
      Expr begin = search(range.begin(), end, from, level, path, code);
      return new LevelEmitter.Range(begin, search(begin, end, to, level, path, code));
    }

    /** The first of the positions {@code [begin, end)} whose coordinate is not below a bound. */
    public static Expr search(
        Expr begin, Expr end, Expr bound, Level level, LevelEmitter.Path path, Code code) {
      String name = "p" + level.name();
      LoopVariable low = code.declare(name + "_from", begin);
      LoopVariable high = code.declare(name + "_to", end);
      Code loop = code.nested();
      Expr sum = Expr.add(Expr.of(low), Expr.of(high));
      Expr middle = loop.name(name + "_mid", Expr.binary(Expr.Op.DIV, sum, Expr.of(2)));
      Expr before = Expr.lessThan(level.coordinate(middle, path), bound);
      Stmt up = new Stmt.Assign(low, Expr.add(middle, Expr.of(1)));
      loop.add(
          new Stmt.If(before, Stmt.Block.of(up), Stmt.Block.of(new Stmt.Assign(high, middle))));
      code.add(new Stmt.While(Expr.lessThan(Expr.of(low), Expr.of(high)), loop.block()));
      return Expr.of(low);
    }
  }

  /** Positions {@code [from, to)} of the one operand that is walked. */
  record Positions(Expr from, Expr to) implements Block {}

  /**
   * Share {@code number} of {@code shares} equal ones of whatever the loop counts, coordinates or
   * positions; shares have at least {@code least}.
   */
  record Share(Expr number, long shares, long least) implements Block {
    public LevelEmitter.Range of(LevelEmitter.Range whole, Code code) {
      Expr begin = code.name("all_from", whole.begin());
      Expr end = code.name("all_to", whole.end());
      Expr count = Expr.sub(end, begin);
      Expr each = divideUp(count, shares);
      Expr size = code.name("share", Expr.binary(Expr.Op.MAX, each, Expr.of(least)));
      Expr start = Expr.add(begin, Expr.mul(number, size));
      Expr from = code.name("share_from", Expr.min(start, end));
      Expr to = code.name("share_to", Expr.min(Expr.add(from, size), end));
      return new LevelEmitter.Range(from, to);
    }
  }

  /** {@code value / divisor} rounded up, for values that are not negative. */
  static Expr divideUp(Expr value, long divisor) {
    Expr more = Expr.add(value, Expr.of(divisor - 1));
    return Expr.binary(Expr.Op.DIV, more, Expr.of(divisor));
  }
}
