package org.weft.compiler.lower.sink;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.Presence;
import org.weft.compiler.lower.operand.Values;

/**
 * The cells that came so far as entries {@code 1 .. count}, and a hash table to find them by their
 * coordinates. Takes memory for the cells only, however large the modes are.
 *
 * <pre>
 * table       0  2  0  0  1  3  0  0      entry at a slot, 0 where there is none; linear probing
 * entry       1  2  3
 * keys        7  3  9                     one array for each index variable
 * sums        .5 1. 2.
 * </pre>
 *
 * <p>At most half of the table is taken. Without a table, every put makes a new entry, which is
 * right where no cell comes twice.
 */
public final class EntryWorkspace implements Workspace {
  /** A table that grows; its capacity is {@code 2^(64 - shift)}. */
  public record Table(Buffer slots, LoopVariable capacity, LoopVariable shift) {}

  /**
   * 2^64 divided by the golden ratio, odd: multiplication spreads coordinates over the top bits.
   */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final Expr ONE = Expr.of(1);

  private final CellList list;
  private final Fold fold;
  private final List<Buffer> keys;
  private final Buffer sums;
  private final Buffer order;
  private final @Nullable Table table;

  /**
   * @param fold how values come together in a cell
   * @param keys growable I64 arrays, one for each coordinate array of {@code list}
   * @param sums a growable array of values
   * @param order a growable I64 array
   */
  public EntryWorkspace(
      CellList list,
      Fold fold,
      List<Buffer> keys,
      Buffer sums,
      Buffer order,
      @Nullable Table table) {
    this.list = list;
    this.fold = fold;
    this.keys = List.copyOf(keys);
    this.sums = sums;
    this.order = order;
    this.table = table;
  }

  @Override
  public void put(List<Expr> coordinates, Expr value, Code code) {
    Expr term = Values.convert(value, sums.scalar());
    if (table == null) {
      newEntry(coordinates, term, code);
      return;
    }
    Expr sum = code.name(sums.name() + "_term", term);
    LoopVariable slot = code.declare(table.slots().name() + "_at", hash(coordinates, table));
    LoopVariable entry =
        code.declare(sums.name() + "_entry", new Expr.Load(table.slots(), Expr.of(slot)));
    Code probe = code.nested();
    probe.assign(slot, after(slot, table));
    probe.assign(entry, new Expr.Load(table.slots(), Expr.of(slot)));
    Expr taken = Expr.binary(Expr.Op.NE, Expr.of(entry), Expr.of(0));
    Expr byOther = null;
    for (int k = 0; k < keys.size(); k++) {
      Expr key = new Expr.Load(keys.get(k), Expr.of(entry));
      Expr differs = Expr.binary(Expr.Op.NE, key, coordinates.get(k));
      byOther = byOther == null ? differs : Expr.binary(Expr.Op.OR, byOther, differs);
    }
    Expr collides = byOther == null ? Presence.FALSE : Expr.and(taken, byOther);
    code.add(new Stmt.While(collides, probe.block()));
    Code first = code.nested();
    newEntry(coordinates, sum, first);
    first.add(new Stmt.Store(table.slots(), Expr.of(slot), Expr.of(list.count())));
    Code rehash = code.nested();
    grow(table, rehash);
    Expr twice = Expr.mul(Expr.of(list.count()), Expr.of(2));
    first.when(Expr.lessThan(Expr.of(table.capacity()), twice), rehash);
    Code again = code.nested();
    fold.into(sums, Expr.of(entry), sum, again);
    Expr isFirst = Expr.equal(Expr.of(entry), Expr.of(0));
    code.add(new Stmt.If(isFirst, first.block(), again.block()));
  }

  @Override
  public Buffer noted() {
    return keys.get(0);
  }

  private void newEntry(List<Expr> coordinates, Expr value, Code code) {
    code.assign(list.count(), Expr.add(Expr.of(list.count()), ONE));
    Expr count = Expr.of(list.count());
    Expr room = Expr.add(count, ONE);
    for (int k = 0; k < keys.size(); k++) {
      code.add(new Stmt.Grow(keys.get(k), room));
      code.add(new Stmt.Store(keys.get(k), count, coordinates.get(k)));
    }
    code.add(new Stmt.Grow(sums, room));
    code.add(new Stmt.Store(sums, count, value));
  }

  private static Expr hash(List<Expr> coordinates, Table table) {
    Expr hash = Expr.of(0);
    for (Expr coordinate : coordinates) {
      hash = Expr.binary(Expr.Op.MUL, Expr.add(hash, coordinate), Expr.of(SPREAD));
    }
    return Expr.binary(Expr.Op.SHR, hash, Expr.of(table.shift()));
  }

  private static Expr after(LoopVariable slot, Table table) {
    Expr next = Expr.add(Expr.of(slot), ONE);
    return new Expr.Select(Expr.equal(next, Expr.of(table.capacity())), Expr.of(0), next);
  }

  private List<Expr> coordinates(Expr entry) {
    List<Expr> coordinates = new ArrayList<>();
    keys.forEach(key -> coordinates.add(new Expr.Load(key, entry)));
    return coordinates;
  }

  private Stmt forEntries(LoopVariable entry, Code body) {
    Expr end = Expr.add(Expr.of(list.count()), ONE);
    return new Stmt.For(entry, ONE, end, body.block(), LoopTraits.SERIAL);
  }

  private void grow(Table full, Code code) {
    code.assign(full.capacity(), Expr.mul(Expr.of(full.capacity()), Expr.of(2)));
    code.assign(full.shift(), Expr.sub(Expr.of(full.shift()), ONE));
    code.add(new Stmt.Grow(full.slots(), Expr.of(full.capacity())));
    code.add(new Stmt.Clear(full.slots(), Expr.of(0), Expr.of(full.capacity())));
    LoopVariable entry = LoopVariable.integer(code.fresh("e"));
    Code insert = code.nested();
    LoopVariable slot =
        insert.declare(full.slots().name() + "_to", hash(coordinates(Expr.of(entry)), full));
    Code probe = code.nested();
    probe.assign(slot, after(slot, full));
    insert.add(new Stmt.While(isTaken(slot, full), probe.block()));
    insert.add(new Stmt.Store(full.slots(), Expr.of(slot), Expr.of(entry)));
    code.add(forEntries(entry, insert));
  }

  private static Expr isTaken(LoopVariable slot, Table table) {
    return Expr.binary(Expr.Op.NE, new Expr.Load(table.slots(), Expr.of(slot)), Expr.of(0));
  }

  @Override
  public void drain(Code code) {
    sort(code);
    Expr count = Expr.of(list.count());
    code.add(new Stmt.Grow(list.vals(), count));
    LoopVariable q = LoopVariable.integer(code.fresh("q"));
    Code gather = code.nested();
    Expr entry = gather.name(order.name() + "_entry", new Expr.Load(order, Expr.of(q)));
    gather.add(new Stmt.Store(list.vals(), Expr.of(q), new Expr.Load(sums, entry)));
    for (int k = 1; k < keys.size(); k++) {
      Expr key = new Expr.Load(keys.get(k), entry);
      gather.add(new Stmt.Store(list.crd().get(k), Expr.of(q), key));
    }
    code.add(new Stmt.For(q, Expr.of(0), count, gather.block(), LoopTraits.SERIAL));
    if (table != null) {
      empty(table, code);
    }
  }

  /** Entries in lexicographic order to {@code order}, one stable sort for each coordinate. */
  private void sort(Code code) {
    Expr count = Expr.of(list.count());
    code.add(new Stmt.Grow(order, count));
    for (int k = keys.size() - 1; k >= 0; k--) {
      Buffer crd = list.crd().get(k);
      LoopVariable q = LoopVariable.integer(code.fresh("q"));
      Code copy = code.nested();
      Expr entry;
      if (k == keys.size() - 1) {
        entry = Expr.add(Expr.of(q), ONE);
        copy.add(new Stmt.Store(order, Expr.of(q), entry));
      } else {
        entry = new Expr.Load(order, Expr.of(q));
      }
      copy.add(new Stmt.Store(crd, Expr.of(q), new Expr.Load(keys.get(k), entry)));
      code.add(new Stmt.Grow(crd, count));
      code.add(new Stmt.For(q, Expr.of(0), count, copy.block(), LoopTraits.SERIAL));
      if (list.sorted()) {
        code.add(new Stmt.SortPairs(crd, order, count));
      }
    }
  }

  /**
   * Zeroes the table: whole when much of it is taken, else the run of taken slots from each entry's
   * first slot on. These runs cover every entry, because an entry is reached from its first slot
   * without a gap.
   */
  private void empty(Table used, Code code) {
    Code whole = code.nested();
    whole.add(new Stmt.Clear(used.slots(), Expr.of(0), Expr.of(used.capacity())));
    Code runs = code.nested();
    LoopVariable entry = LoopVariable.integer(code.fresh("e"));
    Code run = code.nested();
    LoopVariable slot =
        run.declare(used.slots().name() + "_run", hash(coordinates(Expr.of(entry)), used));
    Code clear = code.nested();
    clear.add(new Stmt.Store(used.slots(), Expr.of(slot), Expr.of(0)));
    clear.assign(slot, after(slot, used));
    run.add(new Stmt.While(isTaken(slot, used), clear.block()));
    runs.add(forEntries(entry, run));
    Expr much =
        Expr.lessThan(Expr.of(used.capacity()), Expr.mul(Expr.of(list.count()), Expr.of(8)));
    code.add(new Stmt.If(much, whole.block(), runs.block()));
  }
}
