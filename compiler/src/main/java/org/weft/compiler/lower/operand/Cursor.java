package org.weft.compiler.lower.operand;

import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Expr;

/**
 * How far an access has been resolved: positions {@code [begin, end)} of the level before {@code
 * next}, which share one coordinate path.
 *
 * @param next the first level without a position
 * @param begin the first position; any position that the level may have where there is none
 * @param end null when there is a single position
 * @param repeats whether there may be several positions; else there is one at most
 */
public record Cursor(int next, Expr begin, @Nullable Expr end, boolean repeats) {
  static final Cursor ROOT = at(0, Expr.of(0));

  /** A single position. */
  public static Cursor at(int next, Expr position) {
    return new Cursor(next, position, null, false);
  }

  /** One position, or none where {@code end} is {@code begin}. */
  public static Cursor optional(int next, Expr begin, Expr end) {
    return new Cursor(next, begin, end, false);
  }

  public Expr endOrNext() {
    return end == null ? Expr.add(begin, Expr.of(1)) : end;
  }

  /** Whether there is a position; null when there always is. */
  public @Nullable Expr present() {
    return end == null ? null : Expr.lessThan(begin, end);
  }
}
