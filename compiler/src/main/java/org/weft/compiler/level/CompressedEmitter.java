package org.weft.compiler.level;

import com.google.auto.service.AutoService;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.tensor.Width;

/**
 * Compressed level: the children of parent {@code p} are at positions {@code pos[p] <= q <
 * pos[p+1]} with coordinates {@code crd[q]}.
 *
 * <pre>
 * parent p    0     1   2
 * pos         0     2   2     3
 * crd         0  3            0        parent 1 has no child
 * </pre>
 *
 * <p>While a result is assembled, {@code pos[p+1]} holds the end of the segment when parents are
 * appended in order, or the number of children when parents can be skipped; {@code appendFinalize}
 * sums these numbers. A {@code pos} array never lacks an entry: parents that come into being
 * together are prepared together.
 */
@AutoService(LevelEmitter.class)
public class CompressedEmitter implements LevelEmitter {
  @Override
  public String symbol() {
    return "CU";
  }

  @Override
  public Range positions(Level level, Expr begin, Expr end) {
    Buffer pos = level.requirePos();
    return new Range(new Expr.Load(pos, begin), new Expr.Load(pos, end));
  }

  @Override
  public Expr before(Level level, Expr parents) {
    return new Expr.Load(level.requirePos(), parents);
  }

  @Override
  public Expr coordinate(Level level, Expr position) {
    return new Expr.Load(level.requireCrd(), position);
  }

  @Override
  public Children counted() {
    return Children.EACH;
  }

  @Override
  public Expr insertInit(Level level, Expr parents, Expr children, Code code) {
    appendFinalize(level, parents, children, true, code);
    code.add(new Stmt.Grow(level.requireCrd(), children));
    return children;
  }

  @Override
  public Expr insertPosition(Level level, Path path, Expr rank, Code code) {
    return Expr.add(new Expr.Load(level.requirePos(), path.parent()), rank);
  }

  @Override
  public void insertCoordinate(Level level, Path path, Expr position, Code code) {
    level.storeCoordinate(position, path.coordinate(level.number()), code);
  }

  @Override
  public void appendInit(Level level, Expr parents, Code code) {
    Buffer pos = level.requirePos();
    Expr entries = Expr.add(parents, Expr.of(1));
    code.add(new Stmt.Grow(pos, entries));
    code.add(new Stmt.Clear(pos, Expr.of(0), entries));
    code.add(new Stmt.Grow(level.requireCrd(), Expr.of(1)));
  }

  @Override
  public void appendParents(Level level, Expr from, Expr to, Code code) {
    Buffer pos = level.requirePos();
    Expr end = code.name("p" + level.name() + "_parents", Expr.add(to, Expr.of(1)));
    code.add(new Stmt.Grow(pos, end));
    code.add(new Stmt.Clear(pos, Expr.add(from, Expr.of(1)), end));
  }

  @Override
  public void appendCoordinate(Level level, Expr position, Expr coordinate, Code code) {
    appendCoordinateTo(level, position, coordinate, code);
  }

  static void appendCoordinateTo(Level level, Expr position, Expr coordinate, Code code) {
    level.storeCoordinate(position, coordinate, code);
  }

  @Override
  public void appendEdges(
      Level level, Expr parent, Expr begin, Expr end, boolean counted, Code code) {
    Buffer pos = level.requirePos();
    Expr slot = Expr.add(parent, Expr.of(1));
    code.add(new Stmt.Store(pos, slot, counted ? Expr.sub(end, begin) : end));
  }

  @Override
  public void addEdges(Level level, Expr parent, Expr children, Code code) {
    Expr slot = Expr.add(parent, Expr.of(1));
    code.add(new Stmt.Accumulate(level.requirePos(), slot, children, true));
  }

  @Override
  public void appendFinalize(
      Level level, Expr parents, Expr positions, boolean counted, Code code) {
    if (level.spec().posWidth() != Width.W64) {
      code.add(
          new Stmt.CheckWidth(positions, level.spec().posWidth(), level.tensor(), level.stored()));
    }
    if (!counted) {
      return;
    }
    Buffer pos = level.requirePos();
    LoopVariable sum = code.declare("sum" + level.name(), Expr.of(0));
    LoopVariable p = code.variable("p" + level.name() + "_end", sum.type());
    Code body = code.nested();
    body.assign(sum, Expr.add(Expr.of(sum), new Expr.Load(pos, Expr.of(p))));
    body.add(new Stmt.Store(pos, Expr.of(p), Expr.of(sum)));
    code.add(
        new Stmt.For(
            p, Expr.of(1), Expr.add(parents, Expr.of(1)), body.block(), LoopTraits.SERIAL));
  }
}
