package org.weft.compiler.lower.panel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.compiler.Directive;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.Tensors;

/**
 * A copy of a dense tensor with its labels in another order, where the label whose values are
 * neighbours changes: {@code B(..,b) = A(..,a)}. Both sides are walked in tiles of {@value #TILE} x
 * {@value #TILE} over these two labels, so that each line of memory is read and written once while
 * a cache holds it (as HPTT does, Springer et al. 2017). Tasks share the other labels and the tiles
 * along {@code a}.
 *
 * @param near the label whose values are neighbours in the result
 * @param far the label whose values are neighbours in the operand
 * @param others the other labels as the result stores them
 */
public record Transposition(
    TensorExpr.Access target,
    TensorExpr.Access operand,
    IndexVar near,
    IndexVar far,
    List<IndexVar> others) {
  /** Values along each side of a tile: two lines of doubles, which prefetching brings together. */
  private static final long TILE = 16;

  /** The transposition that a statement is, unless its schedule asks for other loops. */
  public static Optional<Transposition> of(TensorAssignment statement, Schedule schedule) {
    TensorExpr.Access target = statement.target();
    boolean free =
        schedule.directives().stream().allMatch(Directive.ParallelOutermost.class::isInstance);
    if (!free
        || statement.accumulate()
        || statement.mask() != null
        || !(statement.value() instanceof TensorExpr.Access operand)
        || operand.tensor().format().valueType() != target.tensor().format().valueType()
        || !Contraction.isDense(target)
        || !Contraction.isDense(operand)
        || target.variables().size() < 2
        || !List.copyOf(target.variables()).containsAll(operand.variables())
        || target.variables().size() != operand.variables().size()) {
      return Optional.empty();
    }
    List<IndexVar> others = new ArrayList<>(Contraction.stored(target));
    IndexVar near = others.remove(others.size() - 1);
    List<IndexVar> stored = Contraction.stored(operand);
    IndexVar far = stored.get(stored.size() - 1);
    return others.remove(far)
        ? Optional.of(new Transposition(target, operand, near, far, List.copyOf(others)))
        : Optional.empty();
  }

  /** The two labels of a tile. */
  public List<IndexVar> labels() {
    return List.of(far, near);
  }

  /** Emits the loops. */
  public void emit(Tensors tensors, boolean parallel, Code code) {
    List<TensorExpr.Access> accesses = List.of(target, operand);
    LabelGroup outer = LabelGroup.of("outer", others, accesses, tensors, code);
    Expr nearSize = code.name("near_size", tensors.size(near));
    Expr farSize = code.name("far_size", tensors.size(far));
    Expr farStride = LabelGroup.stride(target, far, tensors, code);
    Expr nearStride = LabelGroup.stride(operand, near, tensors, code);
    Expr rows = code.name("tile_rows", Block.divideUp(farSize, TILE));
    Expr columns = code.name("tile_columns", Block.divideUp(nearSize, TILE));
    LoopVariable count = LoopVariable.integer(code.fresh("strip"));
    Code strip = code.nested();
    Expr at = strip.name("outer_at", Expr.binary(Expr.Op.DIV, Expr.of(count), rows));
    Expr row = Expr.sub(Expr.of(count), Expr.mul(at, rows));
    Expr first = strip.name("far_from", Expr.mul(row, Expr.of(TILE)));
    Expr height = strip.name("height", Expr.min(Expr.of(TILE), Expr.sub(farSize, first)));
    Expr origin = Expr.add(outer.offset(at, 0, strip), Expr.mul(first, farStride));
    Expr to = strip.name("to", origin);
    Expr from = strip.name("from", Expr.add(outer.offset(at, 1, strip), first));
    LoopVariable column = LoopVariable.integer(strip.fresh("tile"));
    Code tile = strip.nested();
    Expr begin = tile.name("near_from", Expr.mul(Expr.of(column), Expr.of(TILE)));
    Expr width = tile.name("width", Expr.min(Expr.of(TILE), Expr.sub(nearSize, begin)));
    Expr here = tile.name("cell", Expr.add(to, begin));
    Expr there = tile.name("value", Expr.add(from, Expr.mul(begin, nearStride)));
    Cells cells = new Cells(here, there, farStride, nearStride);
    Expr whole = Expr.equal(Expr.mul(height, width), Expr.of(TILE * TILE));
    Code full = tile.nested();
    cells.copy(Expr.of(TILE), Expr.of(TILE), tensors, full);
    Code edge = tile.nested();
    cells.copy(height, width, tensors, edge);
    tile.add(new Stmt.If(whole, full.block(), edge.block()));
    strip.add(new Stmt.For(column, Expr.of(0), columns, tile.block(), LoopTraits.SERIAL));
    Expr strips = code.name("strips", Expr.mul(outer.size(), rows));
    LoopTraits traits = parallel ? LoopTraits.PARALLEL : LoopTraits.SERIAL;
    code.add(new Stmt.For(count, Expr.of(0), strips, strip.block(), traits));
  }

  /** Where the cells of a tile lie in both tensors. */
  private final class Cells {
    private final Expr here;
    private final Expr there;
    private final Expr farStride;
    private final Expr nearStride;

    Cells(Expr here, Expr there, Expr farStride, Expr nearStride) {
      this.here = here;
      this.there = there;
      this.farStride = farStride;
      this.nearStride = nearStride;
    }

    void copy(Expr height, Expr width, Tensors tensors, Code code) {
      Buffer result = tensors.layout(target.tensor()).vals();
      Buffer values = tensors.layout(operand.tensor()).vals();
      LoopVariable h = LoopVariable.integer(code.fresh("h"));
      Code line = code.nested();
      Expr start = line.name("line", Expr.add(here, Expr.mul(Expr.of(h), farStride)));
      Expr read = line.name("read", Expr.add(there, Expr.of(h)));
      LoopVariable w = LoopVariable.integer(line.fresh("w"));
      Expr value = new Expr.Load(values, Expr.add(read, Expr.mul(Expr.of(w), nearStride)));
      Stmt store = new Stmt.Store(result, Expr.add(start, Expr.of(w)), value);
      Stmt.Block body = Stmt.Block.of(store);
      line.add(new Stmt.For(w, Expr.of(0), width, body, LoopTraits.SCALAR));
      code.add(new Stmt.For(h, Expr.of(0), height, line.block(), LoopTraits.SERIAL));
    }
  }
}
