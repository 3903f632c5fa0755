package org.weft.compiler.lower.sink;

import java.util.List;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.Values;

/**
 * One sum for every cell there could be, and the list of those that were touched.
 *
 * @param list where the cells go
 * @param fold how values come together in a cell
 * @param sizes the mode sizes, outermost first; their product is small
 * @param sums one sum per cell, zero where the cell was not touched
 * @param touched one flag per cell: whether it is in {@code cells}
 * @param cells growable: the touched cells, numbered row-major, in the order of the first touch;
 *     the coordinates themselves when there is one index variable
 */
public record DenseWorkspace(
    CellList list, Fold fold, List<Expr> sizes, Buffer sums, Buffer touched, Buffer cells)
    implements Workspace {
  public DenseWorkspace {
    sizes = List.copyOf(sizes);
  }

  private Expr length() {
    return sizes.stream().reduce(Expr.of(1), Expr::mul);
  }

  @Override
  public void prepare(Code code) {
    code.add(new Stmt.Grow(cells, Expr.add(length(), Expr.of(1))));
  }

  /**
   * Every put writes its cell behind the list, which grows by one if the cell was not touched:
   * which it was is hard to predict.
   */
  @Override
  public void put(List<Expr> coordinates, Expr value, Code code) {
    Expr cell = coordinates.get(0);
    for (int k = 1; k < sizes.size(); k++) {
      cell = Expr.add(Expr.mul(cell, sizes.get(k)), coordinates.get(k));
    }
    cell = code.name(sums.name() + "_at", cell);
    Expr sum = code.name(sums.name() + "_term", Values.convert(value, sums.scalar()));
    Expr count = Expr.of(list.count());
    Expr isTouched = new Expr.Load(touched, cell);
    if (fold.addsToZero()) {
      code.add(new Stmt.Store(cells, count, cell));
      code.assign(list.count(), Expr.sub(Expr.add(count, Expr.of(1)), isTouched));
      code.add(new Stmt.Store(touched, cell, Expr.of(1)));
      fold.into(sums, cell, sum, code);
      return;
    }
    Code first = code.nested();
    first.add(new Stmt.Store(touched, cell, Expr.of(1)));
    first.add(new Stmt.Store(sums, cell, sum));
    first.add(new Stmt.Store(cells, count, cell));
    first.assign(list.count(), Expr.add(count, Expr.of(1)));
    Code again = code.nested();
    fold.into(sums, cell, sum, again);
    code.add(new Stmt.If(Expr.equal(isTouched, Expr.of(0)), first.block(), again.block()));
  }

  @Override
  public Buffer noted() {
    return cells;
  }

  @Override
  public void drain(Code code) {
    Expr count = Expr.of(list.count());
    if (list.sorted()) {
      code.add(new Stmt.SortMarked(cells, count, touched, length()));
    }
    code.add(new Stmt.Grow(list.vals(), count));
    boolean linear = sizes.size() > 1;
    if (linear) {
      list.crd().forEach(crd -> code.add(new Stmt.Grow(crd, count)));
    }
    LoopVariable q = LoopVariable.integer(code.fresh("q"));
    Code gather = code.nested();
    Expr cell = gather.name(sums.name() + "_cell", new Expr.Load(cells, Expr.of(q)));
    gather.add(new Stmt.Store(list.vals(), Expr.of(q), new Expr.Load(sums, cell)));
    gather.add(new Stmt.Store(touched, cell, Expr.of(0)));
    if (fold.addsToZero()) {
      gather.add(new Stmt.Store(sums, cell, fold.identity(sums.scalar())));
    }
    for (int k = sizes.size() - 1; linear && k > 0; k--) {
      Expr coordinate = new Expr.Binary(Expr.Op.REM, cell, sizes.get(k));
      gather.add(new Stmt.Store(list.crd().get(k), Expr.of(q), coordinate));
      Expr outer = new Expr.Binary(Expr.Op.DIV, cell, sizes.get(k));
      cell = gather.name(sums.name() + "_cell", outer);
    }
    if (linear) {
      gather.add(new Stmt.Store(list.crd().get(0), Expr.of(q), cell));
    }
    code.add(new Stmt.For(q, Expr.of(0), count, gather.block(), LoopTraits.SERIAL));
  }
}
