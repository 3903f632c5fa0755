package org.weft.compiler.lower.operand;

import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;

/** Level functions of a diagonal's columns: below position p, at position p, the coordinate p. */
record DiagonalEmitter() implements LevelEmitter {
  @Override
  public String symbol() {
    return "diagonal";
  }

  @Override
  public Range positions(Level level, Expr begin, Expr end) {
    return new Range(begin, end);
  }

  @Override
  public Expr coordinate(Level level, Expr position) {
    return position;
  }
}
