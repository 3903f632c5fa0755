package org.weft.compiler.level;

import com.google.auto.service.AutoService;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.tensor.Width;

/**
 * Hashed level: {@code W = pos[0]} buckets under each parent, coordinate {@code i} in bucket {@code
 * i mod W} or the next free one after it, cyclically. Iteration meets coordinates in no order and
 * passes over free buckets; a search ends at a free bucket.
 *
 * <pre>
 * parent p    0           1         W = 4
 * crd         - 5 1 -     8 - - 3
 * </pre>
 */
@AutoService(LevelEmitter.class)
public final class HashedEmitter implements LevelEmitter {
  @Override
  public String symbol() {
    return "H";
  }

  private static Expr buckets(Level level) {
    return new Expr.Load(level.requirePos(), Expr.of(0));
  }

  @Override
  public Range positions(Level level, Expr begin, Expr end) {
    Expr buckets = buckets(level);
    return new Range(Expr.mul(begin, buckets), Expr.mul(end, buckets));
  }

  @Override
  public Expr coordinate(Level level, Expr position) {
    return new Expr.Load(level.requireCrd(), position);
  }

  @Override
  public @Nullable Expr labelled(Level level, Expr position) {
    return new Expr.Binary(Expr.Op.NE, coordinate(level, position), level.unlabelled());
  }

  @Override
  public Children counted() {
    return Children.MOST;
  }

  /** A power of two, so that at most half of the buckets of a parent are taken. */
  @Override
  public Expr insertInit(Level level, Expr parents, Expr children, Code code) {
    String name = "p" + level.name();
    LoopVariable buckets = code.declare(name + "_buckets", Expr.of(1));
    Expr doubled = Expr.mul(Expr.of(buckets), Expr.of(2));
    Stmt grow = Stmt.Block.of(new Stmt.Assign(buckets, doubled));
    Expr few = Expr.lessThan(Expr.of(buckets), Expr.mul(children, Expr.of(2)));
    code.add(new Stmt.While(few, grow));
    if (level.spec().posWidth() != Width.W64) {
      code.add(
          new Stmt.CheckWidth(
              Expr.of(buckets), level.spec().posWidth(), level.tensor(), level.stored()));
    }
    code.add(new Stmt.Grow(level.requirePos(), Expr.of(1)));
    code.add(new Stmt.Store(level.requirePos(), Expr.of(0), Expr.of(buckets)));
    Expr positions = code.name(name + "_end", Expr.product(parents, Expr.of(buckets)));
    level.makeUnlabelled(positions, code);
    return positions;
  }

  @Override
  public void insertCoordinate(Level level, Path path, Expr position, Code code) {
    level.storeCoordinate(position, path.coordinate(level.number()), code);
  }

  @Override
  public Location locate(Level level, Expr parent, Expr coordinate, Code code) {
    String name = "p" + level.name();
    Expr buckets = code.name(name + "_buckets", buckets(level));
    Expr first = code.name(name + "_first", Expr.mul(parent, buckets));
    Expr home = new Expr.Binary(Expr.Op.REM, coordinate, buckets);
    LoopVariable bucket = code.declare(name + "_bucket", home);
    LoopVariable found =
        code.declare(name + "_found", coordinate(level, Expr.add(first, Expr.of(bucket))));
    Code next = code.nested();
    Expr after = Expr.add(Expr.of(bucket), Expr.of(1));
    next.assign(bucket, new Expr.Select(Expr.equal(after, buckets), Expr.of(0), after));
    next.assign(found, coordinate(level, Expr.add(first, Expr.of(bucket))));
    Expr other = new Expr.Binary(Expr.Op.NE, Expr.of(found), coordinate);
    Expr taken = new Expr.Binary(Expr.Op.NE, Expr.of(found), level.unlabelled());
    code.add(new Stmt.While(Expr.and(other, taken), next.block()));
    return new Location(Expr.add(first, Expr.of(bucket)), Expr.equal(Expr.of(found), coordinate));
  }
}
