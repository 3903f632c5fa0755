package org.weft.compiler.level;

import com.google.auto.service.AutoService;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.Stmt;

/**
 * Bitmap level: coordinate {@code i} under parent {@code p} has position {@code p N + i}, and is
 * stored if {@code crd} is 1 there.
 *
 * <pre>
 * parent p        0             1
 * coordinate      0  1  2       0  1  2        N = 3
 * position        0  1  2       3  4  5
 * crd             1  0  1       0  1  0
 * </pre>
 */
@AutoService(LevelEmitter.class)
public final class BitmapEmitter implements LevelEmitter {
  @Override
  public String symbol() {
    return "B";
  }

  @Override
  public Range coordinates(Level level, Expr parent) {
    return new Range(Expr.of(0), level.size());
  }

  @Override
  public Location coordinateAccess(Level level, Expr parent, Expr coordinate) {
    return locate(level, parent, coordinate);
  }

  @Override
  public @Nullable Expr labelled(Level level, Expr position) {
    return new Expr.Binary(Expr.Op.NE, new Expr.Load(level.requireCrd(), position), Expr.of(0));
  }

  @Override
  public Location locate(Level level, Expr parent, Expr coordinate) {
    Expr position = Expr.add(Expr.mul(parent, level.size()), coordinate);
    return new Location(position, labelled(level, position));
  }

  @Override
  public Expr insertInit(Level level, Expr parents, Expr children, Code code) {
    Expr positions = code.name("p" + level.name() + "_end", Expr.product(parents, level.size()));
    code.add(new Stmt.Grow(level.requireCrd(), positions));
    code.add(new Stmt.Clear(level.requireCrd(), Expr.of(0), positions));
    return positions;
  }

  @Override
  public void insertCoordinate(Level level, Path path, Expr position, Code code) {
    code.add(new Stmt.Store(level.requireCrd(), position, Expr.of(1)));
  }

  @Override
  public Expr size(Level level, Expr parents) {
    return Expr.mul(parents, level.size());
  }
}
