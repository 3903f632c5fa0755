package org.weft.compiler.level;

import com.google.auto.service.AutoService;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.Stmt;
import org.weft.tensor.Width;

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

  @Override
  public Expr insertInit(Level level, Expr parents, Expr children, Code code) {
    code.add(new Stmt.Grow(level.requireCrd(), parents));
    return Expr.product(parents, level.size());
  }

  @Override
  public Expr insertPosition(Level level, Path path, Expr rank, Code code) {
    return coordinateAccess(level, path.parent(), path.coordinate(level.number())).position();
  }

  /** The diagonal is the coordinate above, one number for all of its rows. */
  @Override
  public void insertCoordinate(Level level, Path path, Expr position, Code code) {
    Expr diagonal = path.coordinate(level.number() - 1);
    Width width = level.spec().crdWidth();
    if (width != Width.W64) {
      code.add(new Stmt.CheckWidth(diagonal, width, level.tensor(), level.stored()));
    }
    code.add(new Stmt.Store(level.requireCrd(), path.parent(), diagonal));
  }
}
