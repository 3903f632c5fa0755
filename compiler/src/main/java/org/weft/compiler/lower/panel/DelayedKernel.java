package org.weft.compiler.lower.panel;

import org.jspecify.annotations.Nullable;
import org.weft.compiler.Directive;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.KernelTensors;

/**
 * An accelerator in the place of the micro-kernel, as far as time goes: for every pass over the
 * terms of a tile it waits as long as the accelerator takes, and then writes a tile of zeros where
 * the tile belongs (COMET's dense paper, section 7).
 */
final class DelayedKernel implements TileKernel {
  private final PackedSide wide;
  private final PackedSide high;
  private final Directive.Emulate unit;
  private final Fold fold;
  private final Buffer result;
  private final Buffer tile;

  DelayedKernel(
      PackedSide wide,
      PackedSide high,
      Directive.Emulate unit,
      Fold fold,
      ScalarType type,
      Buffer result) {
    this.wide = wide;
    this.high = high;
    this.unit = unit;
    this.fold = fold;
    this.result = result;
    this.tile = new Buffer("unit_tile", KernelTensors.elementOf(type), Buffer.Kind.WORKSPACE);
  }

  /** The accelerator's own tile: from the runtime, so that no compiler knows what is in it. */
  @Override
  public void allocate(Code task) {
    LoopVariable cells = task.declare("unit_cells", Expr.of(wide.width() * high.width()));
    task.add(new Stmt.AllocateWorkspace(tile, Expr.of(cells)));
  }

  @Override
  public void free(Code task) {
    task.add(new Stmt.FreeWorkspace(tile));
  }

  @Override
  public void emit(
      Place place, Expr origin, Expr depth, Expr start, @Nullable Expr first, Code code) {
    if (unit.ticks() > 0) {
      Expr passes = Block.divideUp(depth, unit.terms());
      code.add(new Stmt.Delay(Expr.mul(passes, Expr.of(unit.ticks()))));
    }
    Expr columns = code.name("columns", wide.lanes(place.widePanel()));
    LoopVariable h = LoopVariable.integer(code.fresh("row"));
    Code row = code.nested();
    Expr base = row.name("to", Expr.add(origin, high.target(Expr.add(place.high(), Expr.of(h)))));
    Expr from = row.name("cells", Expr.add(base, wide.target(place.wide())));
    Code neighbours = row.nested();
    TileKernel.choose(
        first,
        neighbours,
        s -> columns(columns, LoopTraits.VECTOR, s, (w, c) -> store(Expr.add(from, w), h, w, c)),
        s -> columns(columns, LoopTraits.VECTOR, s, (w, c) -> add(Expr.add(from, w), h, w, c)));
    Code scattered = row.nested();
    TileKernel.choose(
        first,
        scattered,
        s ->
            columns(columns, LoopTraits.SCALAR, s, (w, c) -> store(apart(base, place, w), h, w, c)),
        s -> columns(columns, LoopTraits.SCALAR, s, (w, c) -> add(apart(base, place, w), h, w, c)));
    row.add(
        new Stmt.If(wide.isRowOfResult(place.widePanel()), neighbours.block(), scattered.block()));
    code.add(new Stmt.For(h, Expr.of(0), place.rows(), row.block(), LoopTraits.SERIAL));
  }

  private Expr apart(Expr base, Place place, Expr w) {
    return Expr.add(base, wide.target(Expr.add(place.wide(), w)));
  }

  private interface Cell {
    void emit(Expr column, Code code);
  }

  private static void columns(Expr count, LoopTraits traits, Code code, Cell cell) {
    LoopVariable w = LoopVariable.integer(code.fresh("column"));
    Code each = code.nested();
    cell.emit(Expr.of(w), each);
    code.add(new Stmt.For(w, Expr.of(0), count, each.block(), traits));
  }

  private Expr cell(LoopVariable h, Expr w) {
    Expr at = Expr.add(Expr.mul(Expr.of(h), Expr.of(wide.width())), w);
    return new Expr.Load(tile, at);
  }

  private void store(Expr at, LoopVariable h, Expr w, Code code) {
    code.add(new Stmt.Store(result, at, cell(h, w)));
  }

  private void add(Expr at, LoopVariable h, Expr w, Code code) {
    code.add(new Stmt.Store(result, at, fold.combine(new Expr.Load(result, at), cell(h, w))));
  }
}
