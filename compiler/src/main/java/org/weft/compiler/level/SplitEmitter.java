package org.weft.compiler.level;

import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.Stmt;
import org.weft.tensor.Width;

/**
 * Level functions of one half of a stored level: see {@link SplitLevel}.
 *
 * <p>Random access: the upper half locates block {@code c} at the position of its first coordinate,
 * {@code p N + c size}, the lower half adds the offset. Position iteration: the upper half walks
 * the stored positions and divides their coordinates, the lower half has the same position and the
 * remainder. Append: the upper half stores where the block begins, the lower half adds the offset.
 */
public record SplitEmitter(LevelEmitter stored, SplitLevel half) implements LevelEmitter {
  @Override
  public String symbol() {
    return half.symbol();
  }

  @Override
  public Range positions(Level level, Expr begin, Expr end) {
    return half.offset() ? new Range(begin, end) : stored.positions(level, begin, end);
  }

  @Override
  public Expr coordinate(Level level, Expr position, Path path) {
    Expr whole = stored.coordinate(level, position, path);
    Expr size = Expr.of(half.size());
    return new Expr.Binary(half.offset() ? Expr.Op.REM : Expr.Op.DIV, whole, size);
  }

  @Override
  public @Nullable Expr labelled(Level level, Expr position) {
    return half.offset() ? null : stored.labelled(level, position);
  }

  @Override
  public Location locate(Level level, Expr parent, Expr coordinate) {
    return half.offset()
        ? new Location(Expr.add(parent, coordinate), null)
        : stored.locate(level, parent, Expr.mul(coordinate, Expr.of(half.size())));
  }

  @Override
  public Expr size(Level level, Expr parents) {
    return half.offset() ? parents : stored.size(level, parents);
  }

  @Override
  public void appendInit(Level level, Expr parents, Code code) {
    stored.appendInit(level, parents, code);
  }

  @Override
  public void appendParents(Level level, Expr from, Expr to, Code code) {
    stored.appendParents(level, from, to, code);
  }

  @Override
  public void appendCoordinate(Level level, Expr position, Expr coordinate, Code code) {
    if (!half.offset()) {
      Expr begin = Expr.mul(coordinate, Expr.of(half.size()));
      stored.appendCoordinate(level, position, begin, code);
      return;
    }
    Expr whole = Expr.add(new Expr.Load(level.requireCrd(), position), coordinate);
    Width width = level.spec().crdWidth();
    if (width != Width.W64) {
      code.add(new Stmt.CheckWidth(whole, width, level.tensor(), level.stored()));
    }
    code.add(new Stmt.Store(level.requireCrd(), position, whole));
  }

  @Override
  public void appendEdges(
      Level level, Expr parent, Expr begin, Expr end, boolean counted, Code code) {
    stored.appendEdges(level, parent, begin, end, counted, code);
  }

  @Override
  public void addEdges(Level level, Expr parent, Expr children, Code code) {
    stored.addEdges(level, parent, children, code);
  }

  @Override
  public void appendFinalize(
      Level level, Expr parents, Expr positions, boolean counted, Code code) {
    stored.appendFinalize(level, parents, positions, counted, code);
  }
}
