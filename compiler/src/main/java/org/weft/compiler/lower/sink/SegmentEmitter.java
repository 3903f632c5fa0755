package org.weft.compiler.lower.sink;

import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;

/** Level functions of a temporary compressed vector: one segment, whose end is a register. */
public record SegmentEmitter(Expr count) implements LevelEmitter {
  @Override
  public String symbol() {
    return "segment";
  }

  @Override
  public Range positions(Level level, Expr begin, Expr end) {
    return new Range(Expr.of(0), count);
  }

  @Override
  public Expr coordinate(Level level, Expr position) {
    if (level.crd() == null) {
      throw new IllegalStateException("a segment has coordinates");
    }
    return new Expr.Load(level.crd(), position);
  }
}
