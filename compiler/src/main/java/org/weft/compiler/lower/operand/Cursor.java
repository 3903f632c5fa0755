package org.weft.compiler.lower.operand;

import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Expr;

/**
 * How far an access has been resolved: positions {@code [begin, end)} of the level before {@code
 * next}, which share one coordinate path.
 *
 * @param next the first level without a position
 * @param end null when there is a single position
 */
public record Cursor(int next, Expr begin, @Nullable Expr end) {
  static final Cursor ROOT = new Cursor(0, Expr.of(0), null);

  public Expr endOrNext() {
    return end == null ? Expr.add(begin, Expr.of(1)) : end;
  }
}
