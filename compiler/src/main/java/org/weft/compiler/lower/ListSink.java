package org.weft.compiler.lower;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;

/**
 * Sums scattered values in a dense workspace over one variable, with the list of the coordinates
 * that were touched (Bik et al., section 4.4).
 *
 * @param sums one sum per coordinate
 * @param touched one flag per coordinate: whether it is in the list
 * @param list the touched coordinates, {@code count} of them, in the order of the first touch
 */
record ListSink(
    IndexVar variable, Fold fold, Buffer sums, Buffer touched, Buffer list, LoopVariable count)
    implements Sink {
  @Override
  public List<IndexVar> variables() {
    return List.of(variable);
  }

  @Override
  public Sink reducing(Fold inner) {
    return this;
  }

  @Override
  public boolean scatters(Fold inner, List<IndexVar> unbound, boolean small) {
    return inner.operator() == fold.operator();
  }

  @Override
  public boolean tracksPresence() {
    return true;
  }

  @Override
  public @Nullable Sink settle(Code code) {
    return null;
  }

  @Override
  public boolean independent(IndexVar inner) {
    return false;
  }

  @Override
  public void put(Expr value, Scope scope, Code code) {
    Expr coordinate = scope.coordinate(variable);
    Code first = code.nested();
    first.add(new Stmt.Store(touched, coordinate, Expr.of(1)));
    first.add(new Stmt.Store(list, Expr.of(count), coordinate));
    first.assign(count, Expr.add(Expr.of(count), Expr.of(1)));
    Expr term = code.name(sums.name() + "_term", Values.convert(value, sums.scalar()));
    first.add(new Stmt.Store(sums, coordinate, term));
    Code again = code.nested();
    fold.into(sums, coordinate, term, again);
    Expr isFirst = Expr.equal(new Expr.Load(touched, coordinate), Expr.of(0));
    code.add(new Stmt.If(isFirst, first.block(), again.block()));
  }
}
