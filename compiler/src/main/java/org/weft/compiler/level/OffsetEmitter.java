package org.weft.compiler.level;

import com.google.auto.service.AutoService;
import org.weft.compiler.loop.Expr;

/**
 * Offset level: the only child of a row of a diagonal is the column {@code row + offset}, at the
 * row's position. The diagonal is the coordinate two levels above, and the range level between them
 * stores {@code offset + N - 1}.
 */
@AutoService(LevelEmitter.class)
public final class OffsetEmitter implements LevelEmitter {
  @Override
  public String symbol() {
    return "O";
  }

  @Override
  public Range positions(Level level, Expr begin, Expr end) {
    return new Range(begin, end);
  }

  @Override
  public Expr insertInit(Level level, Expr parents, Expr children, Code code) {
    return parents;
  }

  @Override
  public Expr insertPosition(Level level, Path path, Expr rank, Code code) {
    return path.parent();
  }

  @Override
  public Expr coordinate(Level level, Expr position, Path path) {
    Level range = level.requireAbove();
    Expr diagonal = new Expr.Load(range.requireCrd(), path.coordinate(level.number() - 2));
    Expr offset = Expr.sub(diagonal, Expr.sub(range.size(), Expr.of(1)));
    return Expr.add(path.coordinate(level.number() - 1), offset);
  }
}
