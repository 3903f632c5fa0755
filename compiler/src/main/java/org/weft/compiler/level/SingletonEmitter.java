package org.weft.compiler.level;

import com.google.auto.service.AutoService;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.Stmt;

/**
 * Singleton level: the only child of parent {@code p} is at position {@code p} with coordinate
 * {@code crd[p]}. The later levels of COO.
 *
 * <pre>
 * parent p    0  1  2  3
 * crd         0  1  3  2
 * </pre>
 *
 * <p>In a level that is not compact (the columns of ELL) the largest number of the width stands for
 * a parent without a child.
 */
@AutoService(LevelEmitter.class)
public final class SingletonEmitter implements LevelEmitter {
  @Override
  public String symbol() {
    return "S";
  }

  @Override
  public Range positions(Level level, Expr begin, Expr end) {
    return new Range(begin, end);
  }

  @Override
  public Expr before(Level level, Expr parents) {
    return parents;
  }

  @Override
  public Expr coordinate(Level level, Expr position) {
    return new Expr.Load(level.requireCrd(), position);
  }

  @Override
  public @Nullable Expr labelled(Level level, Expr position) {
    return level.spec().properties().compact()
        ? null
        : new Expr.Binary(Expr.Op.NE, coordinate(level, position), level.unlabelled());
  }

  @Override
  public Expr insertInit(Level level, Expr parents, Expr children, Code code) {
    if (level.spec().properties().compact()) {
      code.add(new Stmt.Grow(level.requireCrd(), parents));
    } else {
      level.makeUnlabelled(parents, code);
    }
    return parents;
  }

  @Override
  public Expr insertPosition(Level level, Path path, Expr rank, Code code) {
    return path.parent();
  }

  @Override
  public void insertCoordinate(Level level, Path path, Expr position, Code code) {
    level.storeCoordinate(position, path.coordinate(level.number()), code);
  }

  @Override
  public void appendCoordinate(Level level, Expr position, Expr coordinate, Code code) {
    CompressedEmitter.appendCoordinateTo(level, position, coordinate, code);
  }
}
