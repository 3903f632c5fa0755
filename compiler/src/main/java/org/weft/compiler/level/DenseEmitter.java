package org.weft.compiler.level;

import com.google.auto.service.AutoService;
import org.weft.compiler.loop.Expr;

/**
 * Dense level: every coordinate {@code 0 <= i < N} is stored, at position {@code p N + i}.
 *
 * <pre>
 * parent p        0             1
 * coordinate      0  1  2       0  1  2        N = 3
 * position        0  1  2       3  4  5
 * </pre>
 */
@AutoService(LevelEmitter.class)
public final class DenseEmitter implements LevelEmitter {
  @Override
  public String symbol() {
    return "D";
  }

  @Override
  public Range coordinates(Level level, Expr parent) {
    return new Range(Expr.of(0), level.size());
  }

  @Override
  public Expr before(Level level, Expr parents) {
    return size(level, parents);
  }

  @Override
  public Location coordinateAccess(Level level, Expr parent, Expr coordinate) {
    return locate(level, parent, coordinate);
  }

  @Override
  public Location locate(Level level, Expr parent, Expr coordinate) {
    return new Location(Expr.add(Expr.mul(parent, level.size()), coordinate), null);
  }

  @Override
  public Expr insertInit(Level level, Expr parents, Expr children, Code code) {
    return Expr.product(parents, level.size());
  }

  @Override
  public Expr size(Level level, Expr parents) {
    return Expr.mul(parents, level.size());
  }
}
