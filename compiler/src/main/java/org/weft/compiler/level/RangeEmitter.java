package org.weft.compiler.level;

import com.google.auto.service.AutoService;
import org.weft.compiler.loop.Expr;

/**
 * Range level: the rows of a diagonal of an {@code N x M} matrix. Diagonal {@code k} has the cells
 * {@code (i, i + offset)} with {@code offset = crd[k] - (N - 1)}; row {@code i} is at position
 * {@code k N + i}.
 *
 * <pre>
 * parent k    0        1          N = 4, M = 6
 * crd         0        3          offsets -3 and 0
 * coordinates 3        0 1 2 3
 * position    3        4 5 6 7
 * </pre>
 */
@AutoService(LevelEmitter.class)
public final class RangeEmitter implements LevelEmitter {
  @Override
  public String symbol() {
    return "R";
  }

  @Override
  public Range coordinates(Level level, Expr parent) {
    Expr last = Expr.sub(level.size(), Expr.of(1));
    Expr before = Expr.sub(last, new Expr.Load(level.requireCrd(), parent));
    return new Range(
        new Expr.Binary(Expr.Op.MAX, Expr.of(0), before),
        Expr.min(level.size(), Expr.add(level.requireSizeBelow(), before)));
  }

  @Override
  public Location coordinateAccess(Level level, Expr parent, Expr coordinate) {
    return new Location(Expr.add(Expr.mul(parent, level.size()), coordinate), null);
  }
}
