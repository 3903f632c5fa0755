package org.weft.compiler.lower.sink;

import java.util.List;
import java.util.function.BiConsumer;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.Values;

/**
 * The terms of a round as they come, of which there are at most {@link Stmt.Rank#MOST}. Each goes
 * to the place that is the number of smaller coordinates, where terms of one cell meet; places that
 * stay free are left out:
 *
 * <pre>
 * keys, terms     7 .5   3 1.   7 .25   9 2.
 * ranks           1      0      1       3
 * places          3 1.   7 .75   -      9 2.
 * list            3 1.   7 .75  9 2.
 * </pre>
 *
 * <p>All of it stays in the nearest cache, where cells of a {@link DenseWorkspace} are spread over
 * a row of the result.
 *
 * @param list of one coordinate, whose arrays have the places too; its count is the number of terms
 *     until they are drained
 * @param fold how values come together in a cell
 * @param keys the coordinates of terms
 * @param taken one flag for each place, zero between rounds
 */
public record RankedWorkspace(
    CellList list, Fold fold, Buffer keys, Buffer terms, Buffer ranks, Buffer taken)
    implements Workspace {

  @Override
  public void put(List<Expr> coordinates, Expr value, Code code) {
    Expr count = Expr.of(list.count());
    code.add(new Stmt.Store(keys, count, coordinates.get(0)));
    code.add(new Stmt.Store(terms, count, Values.convert(value, terms.scalar())));
    code.assign(list.count(), Expr.add(count, Expr.of(1)));
  }

  @Override
  public Buffer noted() {
    return keys;
  }

  @Override
  public void drain(Code code) {
    Expr count = Expr.of(list.count());
    LoopVariable different = code.declare(list.count().name() + "_different", Expr.of(0));
    code.add(new Stmt.Rank(keys, ranks, count, different));
    Code scattered = code.nested();
    forEach("t", count, this::scatter, scattered);
    Code met = code.nested();
    if (fold.addsToZero()) {
      met.add(new Stmt.Clear(list.vals(), Expr.of(0), count));
    }
    forEach("t", count, this::meet, met);
    LoopVariable cell = met.declare(list.count().name() + "_cells", Expr.of(0));
    forEach("q", count, (place, body) -> closeUp(place, cell, body), met);
    met.assign(list.count(), Expr.of(cell));
    code.add(
        new Stmt.If(Expr.equal(Expr.of(different), Expr.of(1)), scattered.block(), met.block()));
  }

  private static void forEach(String hint, Expr count, BiConsumer<Expr, Code> body, Code code) {
    LoopVariable variable = LoopVariable.integer(code.fresh(hint));
    Code inside = code.nested();
    body.accept(Expr.of(variable), inside);
    code.add(new Stmt.For(variable, Expr.of(0), count, inside.block(), LoopTraits.SERIAL));
  }

  private Buffer crd() {
    return list.crd().get(0);
  }

  private Expr rank(Expr term, Code code) {
    return code.name(ranks.name() + "_rank", new Expr.Load(ranks, term));
  }

  private void scatter(Expr term, Code code) {
    Expr rank = rank(term, code);
    code.add(new Stmt.Store(crd(), rank, new Expr.Load(keys, term)));
    code.add(new Stmt.Store(list.vals(), rank, new Expr.Load(terms, term)));
  }

  private void meet(Expr term, Code code) {
    Expr rank = rank(term, code);
    Expr value = new Expr.Load(terms, term);
    Stmt take = new Stmt.Store(taken, rank, Expr.of(1));
    Stmt name = new Stmt.Store(crd(), rank, new Expr.Load(keys, term));
    if (fold.addsToZero()) {
      code.add(take);
      code.add(name);
      fold.into(list.vals(), rank, value, code);
      return;
    }
    Code first = code.nested();
    first.add(take);
    first.add(name);
    first.add(new Stmt.Store(list.vals(), rank, value));
    Code again = code.nested();
    fold.into(list.vals(), rank, value, again);
    Expr isFree = Expr.equal(new Expr.Load(taken, rank), Expr.of(0));
    code.add(new Stmt.If(isFree, first.block(), again.block()));
  }

  /** Moves every place down and steps past it if it is taken, which is hard to predict. */
  private void closeUp(Expr place, LoopVariable cell, Code code) {
    Expr to = Expr.of(cell);
    code.add(new Stmt.Store(list.vals(), to, new Expr.Load(list.vals(), place)));
    code.add(new Stmt.Store(crd(), to, new Expr.Load(crd(), place)));
    code.assign(cell, Expr.add(to, new Expr.Load(taken, place)));
    code.add(new Stmt.Store(taken, place, Expr.of(0)));
  }
}
