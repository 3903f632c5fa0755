package org.weft.compiler.lower.panel;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.memory.ElementType;

/**
 * The innermost loop of a contraction: a tile of the result in vector registers, to which every
 * term adds the outer product of a row of each panel. Its loops have constant bounds, so that code
 * generation makes straight-line vector code of them.
 */
final class MicroKernel implements TileKernel {
  private final PackedSide wide;
  private final PackedSide high;
  private final Fold fold;
  private final Operator multiply;
  private final ScalarType type;
  private final Buffer result;
  private final Buffer kept;
  private final Buffer line;

  MicroKernel(
      PackedSide wide,
      PackedSide high,
      Operator multiply,
      Fold fold,
      ScalarType type,
      Buffer result,
      Code names) {
    this.wide = wide;
    this.high = high;
    this.multiply = multiply;
    this.fold = fold;
    this.type = type;
    this.result = result;
    ElementType element = KernelTensors.elementOf(type);
    kept = new Buffer(names.fresh("kept"), element, Buffer.Kind.WORKSPACE);
    line = new Buffer(names.fresh("line"), element, Buffer.Kind.WORKSPACE);
  }

  @Override
  public void emit(
      Place place, Expr origin, Expr depth, Expr start, @Nullable Expr first, Code code) {
    Buffer tile =
        new Buffer(code.fresh("tile"), KernelTensors.elementOf(type), Buffer.Kind.WORKSPACE);
    code.add(new Stmt.AllocateWorkspace(tile, Expr.of(wide.width() * high.width())));
    if (fold.operator() != Operator.PLUS) {
      rows(code, (h, c) -> lanes(c, w -> new Stmt.Store(tile, cell(h, w), start)));
    }
    fetch(place, origin, code);
    terms(tile, place, depth, code);
    if (wide.writesLines()) {
      keep(tile, place, code);
      return;
    }
    Code neighbours = code.nested();
    Code through = place.around() == null ? neighbours : neighbours.nested();
    rows(
        through,
        (h, c) -> {
          Expr base =
              c.name("to", Expr.add(origin, high.target(Expr.add(place.high(), Expr.of(h)))));
          Expr from = c.name("cells", Expr.add(base, wide.target(place.wide())));
          Code there = c.nested();
          TileKernel.choose(
              first,
              there,
              s -> lanes(s, w -> store(Expr.add(from, w), new Expr.Load(tile, cell(h, w)))),
              s -> lanes(s, w -> add(Expr.add(from, w), new Expr.Load(tile, cell(h, w)))));
          c.when(Expr.lessThan(Expr.of(h), place.rows()), there);
        });
    if (place.around() != null) {
      Code lines = neighbours.nested();
      stream(tile, place, origin, lines);
      Expr full = Expr.equal(place.rows(), Expr.of(high.width()));
      Expr whole = Expr.and(place.around(), full);
      neighbours.add(new Stmt.If(whole, lines.block(), through.block()));
    }
    Code scattered = code.nested();
    scatter(tile, place, origin, first, scattered);
    code.add(
        new Stmt.If(wide.isRowOfResult(place.widePanel()), neighbours.block(), scattered.block()));
  }

  /** Stores rows of whole lines around the caches. */
  private void stream(Buffer tile, Place place, Expr origin, Code code) {
    long line = Stmt.StreamLine.BYTES / tile.element().bytes();
    rows(
        code,
        (h, c) -> {
          Expr base = Expr.add(origin, high.target(Expr.add(place.high(), Expr.of(h))));
          Expr from = c.name("line", Expr.add(base, wide.target(place.wide())));
          for (long at = 0; at < wide.width(); at += line) {
            Expr to = Expr.add(from, Expr.of(at));
            c.add(new Stmt.StreamLine(tile, cell(h, Expr.of(at)), result, to));
          }
        });
  }

  /** Asks for the cells of the tile, which are wanted when all terms have been added. */
  private void fetch(Place place, Expr origin, Code code) {
    Code there = code.nested();
    rows(
        there,
        (h, c) -> {
          Expr base = Expr.add(origin, high.target(Expr.add(place.high(), Expr.of(h))));
          Expr from = c.name("asked", Expr.add(base, wide.target(place.wide())));
          c.add(new Stmt.Prefetch(result, from, wide.width()));
        });
    Expr isRow = wide.isRowOfResult(place.widePanel());
    Expr around = place.around();
    code.when(around == null ? isRow : Expr.and(isRow, new Expr.Not(around)), there);
  }

  private void terms(Buffer tile, Place place, Expr depth, Code code) {
    Expr wideStart = code.name("wide_at", Expr.mul(place.widePanel(), wide.size(depth)));
    Expr highStart = code.name("high_at", Expr.mul(place.highPanel(), high.size(depth)));
    LoopVariable term = LoopVariable.integer(code.fresh("term"));
    Code each = code.nested();
    if (place.ahead() != null) {
      each.add(place.ahead().with(Expr.of(term)));
    }
    Expr wideRow =
        each.name("wide_row", Expr.add(wideStart, Expr.mul(Expr.of(term), Expr.of(wide.width()))));
    Expr highRow =
        each.name("high_row", Expr.add(highStart, Expr.mul(Expr.of(term), Expr.of(high.width()))));
    rows(
        each,
        (h, c) -> {
          Expr down = c.name("down", new Expr.Load(high.panels(), Expr.add(highRow, Expr.of(h))));
          lanes(
              c,
              w -> {
                Expr across = new Expr.Load(wide.panels(), Expr.add(wideRow, w));
                return combine(tile, cell(h, w), product(across, down));
              });
        });
    code.add(new Stmt.For(term, Expr.of(0), depth, each.block(), LoopTraits.SERIAL));
  }

  private Expr product(Expr across, Expr down) {
    Expr.Op op =
        switch (multiply) {
          case PLUS -> Expr.Op.ADD;
          case MIN -> Expr.Op.MIN;
          case MAX -> Expr.Op.MAX;
          default -> Expr.Op.MUL;
        };
    return new Expr.Binary(op, across, down);
  }

  private Stmt combine(Buffer cells, Expr at, Expr value) {
    return fold.operator() == Operator.PLUS
        ? new Stmt.Accumulate(cells, at, value)
        : new Stmt.Store(cells, at, fold.combine(new Expr.Load(cells, at), value));
  }

  private Stmt store(Expr at, Expr value) {
    return new Stmt.Store(result, at, value);
  }

  private Stmt add(Expr at, Expr value) {
    return combine(result, at, value);
  }

  /** Cells one by one, wherever they lie, out of a copy of the tile in memory. */
  private void scatter(Buffer tile, Place place, Expr origin, @Nullable Expr first, Code code) {
    Buffer copy = new Buffer(code.fresh("edge"), tile.element(), Buffer.Kind.WORKSPACE);
    code.add(new Stmt.AllocateWorkspace(copy, Expr.of(cells())));
    copy(tile, copy, Expr.of(0), code);
    scatter(copy, Expr.of(0), place, place.widePanel(), origin, first, code);
  }

  private void copy(Buffer tile, Buffer to, Expr from, Code code) {
    rows(
        code,
        (h, c) ->
            lanes(
                c,
                w -> {
                  Expr at = Expr.add(from, cell(h, w));
                  return new Stmt.Store(to, at, new Expr.Load(tile, cell(h, w)));
                }));
  }

  /** Cells of a copy that begins at {@code from}, one by one. */
  private void scatter(
      Buffer copy,
      Expr from,
      Place place,
      Expr panel,
      Expr origin,
      @Nullable Expr first,
      Code code) {
    Expr columns = code.name("columns", wide.lanes(panel));
    Expr start = code.name("wide_at", Expr.mul(panel, Expr.of(wide.width())));
    LoopVariable h = LoopVariable.integer(code.fresh("row"));
    Code row = code.nested();
    Expr base = row.name("to", Expr.add(origin, high.target(Expr.add(place.high(), Expr.of(h)))));
    LoopVariable w = LoopVariable.integer(row.fresh("column"));
    Code each = row.nested();
    Expr at = each.name("cell", Expr.add(base, wide.target(Expr.add(start, Expr.of(w)))));
    Expr index = Expr.add(Expr.mul(Expr.of(h), Expr.of(wide.width())), Expr.of(w));
    Expr value = each.name("sum", new Expr.Load(copy, Expr.add(from, index)));
    TileKernel.choose(first, each, s -> s.add(store(at, value)), s -> s.add(add(at, value)));
    row.add(new Stmt.For(w, Expr.of(0), columns, each.block(), LoopTraits.SERIAL));
    code.add(new Stmt.For(h, Expr.of(0), place.rows(), row.block(), LoopTraits.SERIAL));
  }

  @Override
  public void allocate(Code task) {
    if (wide.writesLines()) {
      task.add(new Stmt.AllocateWorkspace(kept, Expr.of(PackedSide.LINE * cells())));
      task.add(new Stmt.AllocateWorkspace(line, Expr.of(PackedSide.LINE * PackedSide.LINE)));
    }
  }

  @Override
  public void free(Code task) {
    if (wide.writesLines()) {
      task.add(new Stmt.FreeWorkspace(line));
      task.add(new Stmt.FreeWorkspace(kept));
    }
  }

  /** Keeps a tile until those of its line of runs have been computed. */
  private void keep(Buffer tile, Place place, Code code) {
    Expr inLine = Expr.binary(Expr.Op.REM, place.widePanel(), Expr.of(PackedSide.LINE));
    copy(tile, kept, code.name("kept_at", Expr.mul(inLine, Expr.of(cells()))), code);
  }

  /** Writes the tiles of a line of runs, whose cells make whole lines of the result. */
  @Override
  public void flush(Place place, Expr origin, @Nullable Expr first, Code code) {
    if (!wide.writesLines()) {
      return;
    }
    Expr begin = Expr.sub(place.widePanel(), Expr.of(PackedSide.LINE - 1));
    Expr inLine = Expr.binary(Expr.Op.REM, place.widePanel(), Expr.of(PackedSide.LINE));
    Code last = code.nested();
    Expr panel = last.name("line_panel", begin);
    Code scattered = last.nested();
    LoopVariable run = LoopVariable.integer(scattered.fresh("run"));
    Code each = scattered.nested();
    Expr from = each.name("kept_at", Expr.mul(Expr.of(run), Expr.of(cells())));
    scatter(kept, from, place, Expr.add(panel, Expr.of(run)), origin, first, each);
    scattered.add(
        new Stmt.For(run, Expr.of(0), Expr.of(PackedSide.LINE), each.block(), LoopTraits.FEW));
    if (first == null || !wide.isSquare(result.element()) || kept.element() != result.element()) {
      last.addAll(scattered);
    } else {
      Code turned = last.nested();
      turn(place, panel, origin, turned);
      Expr whole = Expr.and(first, wide.isWholeLine(panel));
      last.add(new Stmt.If(whole, turned.block(), scattered.block()));
    }
    code.when(Expr.equal(inLine, Expr.of(PackedSide.LINE - 1)), last);
  }

  private void turn(Place place, Expr panel, Expr origin, Code code) {
    int side = Stmt.Turn.side(result.element());
    Expr start = code.name("wide_at", Expr.mul(panel, Expr.of(wide.width())));
    LoopVariable h = LoopVariable.integer(code.fresh("row"));
    Code row = code.nested();
    Expr base = row.name("to", Expr.add(origin, high.target(Expr.add(place.high(), Expr.of(h)))));
    Expr kept = row.name("kept_row", Expr.mul(Expr.of(h), Expr.of(wide.width())));
    LoopVariable square = LoopVariable.integer(row.fresh("square"));
    Code each = row.nested();
    Expr column = each.name("column", Expr.mul(Expr.of(square), Expr.of(side)));
    List<Expr> cells = new ArrayList<>();
    for (int one = 0; one < side; one++) {
      Expr at = Expr.add(Expr.add(start, column), Expr.of(one));
      cells.add(each.name("cell", Expr.add(base, wide.target(at))));
    }
    Code through = each.nested();
    squares(kept, column, result, cells, through);
    boolean whole = PackedSide.LINE * result.element().bytes() == Stmt.StreamLine.BYTES;
    if (place.around() == null || !whole) {
      each.addAll(through);
    } else {
      Code lines = each.nested();
      List<Expr> places = new ArrayList<>();
      for (int one = 0; one < side; one++) {
        places.add(Expr.of(one * PackedSide.LINE));
      }
      squares(kept, column, line, places, lines);
      for (int one = 0; one < side; one++) {
        lines.add(new Stmt.StreamLine(line, places.get(one), result, cells.get(one)));
      }
      each.add(new Stmt.If(place.around(), lines.block(), through.block()));
    }
    Expr squares = Expr.of(wide.width() / side);
    row.add(new Stmt.For(square, Expr.of(0), squares, each.block(), LoopTraits.SERIAL));
    code.add(new Stmt.For(h, Expr.of(0), place.rows(), row.block(), LoopTraits.SERIAL));
  }

  /** Turns the cells of the kept tiles in some columns so that each is in a row of a line. */
  private void squares(Expr row, Expr column, Buffer to, List<Expr> lines, Code code) {
    int side = lines.size();
    for (int half = 0; half < PackedSide.LINE; half += side) {
      List<Expr> reads = new ArrayList<>();
      List<Expr> places = new ArrayList<>();
      for (int one = 0; one < side; one++) {
        Expr run = Expr.of((half + one) * cells());
        reads.add(Expr.add(run, Expr.add(row, column)));
        places.add(Expr.add(lines.get(one), Expr.of(half)));
      }
      code.add(new Stmt.Turn(kept, reads, to, places));
    }
  }

  private long cells() {
    return wide.width() * high.width();
  }

  private interface Row {
    void emit(long number, Code code);
  }

  private void rows(Code code, Row row) {
    for (long number = 0; number < high.width(); number++) {
      row.emit(number, code);
    }
  }

  private interface Lane {
    Stmt at(Expr cell);
  }

  private void lanes(Code code, Lane lane) {
    LoopVariable w = LoopVariable.integer(code.fresh("w"));
    Stmt.Block body = Stmt.Block.of(lane.at(Expr.of(w)));
    code.add(new Stmt.For(w, Expr.of(0), Expr.of(wide.width()), body, LoopTraits.VECTOR));
  }

  private Expr cell(long row, Expr w) {
    return Expr.add(Expr.of(row * wide.width()), w);
  }
}
