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
import org.weft.compiler.lower.operand.KernelTensors;

/**
 * A copy of a dense tensor with its labels in another order, where the label whose values are
 * neighbours changes: {@code B(..,b) = A(..,a)}. Both sides are walked in tiles of {@value #TILE} x
 * {@value #TILE} over these two labels, so that each line of memory is read and written once while
 * a cache holds it (as HPTT does, Springer et al. 2017). Tasks share the other labels and the tiles
 * along {@code a}.
 *
 * @param near the label whose values are neighbours in the result
 * @param far the label whose values are neighbours in the operand
 * @param others the other labels as the result stores them, but for the operand's last one of them:
 *     it is the last but one, so that a cache still holds the lines that successive rows share
 */
public record Transposition(
    TensorExpr.Access target,
    TensorExpr.Access operand,
    IndexVar near,
    IndexVar far,
    List<IndexVar> others) {
  /** Values along each side of a tile: two lines of doubles, which prefetching brings together. */
  private static final long TILE = 16;

  /** A side of no more values is not cut. */
  private static final long WHOLE = 2 * TILE;

  private static final long LINE_BYTES = 64;

  /** A loop whose body is not repeated: copies of long bodies take LLVM seconds. */
  private static final LoopTraits ONE_BY_ONE = LoopTraits.SERIAL.withUnroll(1);

  /** Values of the near side where its rows in the operand share the lines of a few sets. */
  private static final long FEW = 8;

  /** Bytes of a way of the first cache, in the usual machines. */
  private static final long WAY_BYTES = 4096;

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
    if (!others.remove(far)) {
      return Optional.empty();
    }
    if (others.size() > 1) {
      stored.retainAll(others);
      IndexVar last = stored.get(stored.size() - 1);
      if (!last.equals(others.get(others.size() - 1))) {
        others.remove(last);
        others.add(others.size() - 1, last);
      }
    }
    return Optional.of(new Transposition(target, operand, near, far, List.copyOf(others)));
  }

  /** The two labels of a tile. */
  public List<IndexVar> labels() {
    return List.of(far, near);
  }

  /** Emits the loops. */
  public void emit(KernelTensors tensors, boolean parallel, Code code) {
    LabelGroup outer = LabelGroup.of("outer", others, List.of(target, operand), tensors, code);
    Side down = Side.of("far", far, target, TILE, tensors, code);
    Side along = Side.of("near", near, operand, FEW, tensors, code);
    LoopVariable count = LoopVariable.integer(code.fresh("strip"));
    Code strip = code.nested();
    Strip here = Strip.of("", Expr.of(count), outer, down, strip);
    Strip next = Strip.of("next_", Expr.add(Expr.of(count), Expr.of(1)), outer, down, strip);
    Expr height = strip.name("height", down.rest(here.first()));
    LoopVariable column = LoopVariable.integer(strip.fresh("tile"));
    Code tile = strip.nested();
    Expr begin = tile.name("near_from", Expr.mul(Expr.of(column), along.step()));
    Expr width = tile.name("width", along.rest(begin));
    Place cells = here.at(begin, along, tile);
    Expr onwards = tile.name("near_next", Expr.add(begin, along.step()));
    Place ahead = here.at(onwards, along, tile).unless(along.isLast(column), next, tile);
    fetch(ahead, down, along, tensors, tile);
    tile.addAll(sized(List.of(TILE, FEW), cells, height, width, down, along, tensors, tile));
    strip.add(new Stmt.For(column, Expr.of(0), along.tiles(), tile.block(), LoopTraits.SERIAL));
    Expr strips = code.name("strips", Expr.mul(outer.size(), down.tiles()));
    LoopTraits traits = parallel ? LoopTraits.PARALLEL : LoopTraits.SERIAL;
    code.add(new Stmt.For(count, Expr.of(0), strips, strip.block(), traits));
  }

  /** Copies a tile, by loops of known lengths where it has all rows and one of {@code widths}. */
  private Code sized(
      List<Long> widths,
      Place cells,
      Expr height,
      Expr width,
      Side down,
      Side along,
      KernelTensors tensors,
      Code code) {
    Code general = code.nested();
    copy(cells, height, width, down, along, tensors, general);
    Code all = general;
    for (long known : widths) {
      Code full = code.nested();
      copy(cells, Expr.of(TILE), Expr.of(known), down, along, tensors, full);
      // Neither is longer than WHOLE, so that one number tells both.
      Expr both = Expr.add(Expr.mul(height, Expr.of(2 * WHOLE)), width);
      Expr isFull = Expr.equal(both, Expr.of(TILE * 2 * WHOLE + known));
      Code either = code.nested();
      either.add(new Stmt.If(isFull, full.block(), all.block()));
      all = either;
    }
    return all;
  }

  /**
   * One side of the tiles.
   *
   * @param stride how far apart its values are in the tensor that does not have them as neighbours
   * @param step values of a tile
   */
  private record Side(Expr size, Expr stride, Expr step, Expr tiles) {
    static Side of(
        String name,
        IndexVar label,
        TensorExpr.Access other,
        long few,
        KernelTensors tensors,
        Code code) {
      Expr size = code.name(name + "_size", tensors.size(label));
      Expr stride = LabelGroup.stride(other, label, tensors, code);
      long values = tensors.layout(other.tensor()).vals().element().bytes();
      Expr within = Expr.binary(Expr.Op.REM, stride, Expr.of(WAY_BYTES / values));
      Expr usual = new Expr.Select(Expr.equal(within, Expr.of(0)), Expr.of(few), Expr.of(TILE));
      Expr most = code.name(name + "_most", usual);
      Expr whole = Expr.binary(Expr.Op.LE, size, Expr.mul(most, Expr.of(WHOLE / TILE)));
      Expr least = Expr.binary(Expr.Op.MAX, size, Expr.of(1));
      Expr step = code.name(name + "_step", new Expr.Select(whole, least, most));
      Expr up = Expr.sub(Expr.add(size, step), Expr.of(1));
      Expr tiles = code.name(name + "_tiles", Expr.binary(Expr.Op.DIV, up, step));
      return new Side(size, stride, step, tiles);
    }

    /** Values of the tile that begins at {@code first}. */
    Expr rest(Expr first) {
      return Expr.min(step, Expr.sub(size, first));
    }

    Expr isLast(LoopVariable tile) {
      return Expr.equal(Expr.add(Expr.of(tile), Expr.of(1)), tiles);
    }
  }

  /**
   * The tiles along the near side at some coordinates of the other labels.
   *
   * @param first coordinate of the far side
   * @param to where the strip begins in the result
   * @param from where it begins in the operand
   */
  private record Strip(Expr first, Expr to, Expr from) {
    static Strip of(String name, Expr number, LabelGroup outer, Side down, Code code) {
      Expr at = code.name(name + "outer", Expr.binary(Expr.Op.DIV, number, down.tiles()));
      Expr row = Expr.sub(number, Expr.mul(at, down.tiles()));
      Expr first = code.name(name + "far_from", Expr.mul(row, down.step()));
      Expr to = Expr.add(outer.offset(at, 0, code), Expr.mul(first, down.stride()));
      Expr from = Expr.add(outer.offset(at, 1, code), first);
      return new Strip(first, code.name(name + "to", to), code.name(name + "from", from));
    }

    /** The tile whose near side begins at {@code begin}. */
    Place at(Expr begin, Side along, Code code) {
      Expr there = Expr.add(from, Expr.mul(begin, along.stride()));
      return new Place(code.name("cell", Expr.add(to, begin)), code.name("value", there));
    }
  }

  /** Where a tile begins in the result and in the operand. */
  private record Place(Expr to, Expr from) {
    /** This place, or where {@code strip} begins. */
    Place unless(Expr condition, Strip strip, Code code) {
      return new Place(
          code.name("to_ahead", new Expr.Select(condition, strip.to(), to)),
          code.name("from_ahead", new Expr.Select(condition, strip.from(), from)));
    }
  }

  /** Asks for the lines of a tile: latency, not the width of memory, is what bounds a tile. */
  private void fetch(Place place, Side down, Side along, KernelTensors tensors, Code code) {
    Buffer result = tensors.layout(target.tensor()).vals();
    Buffer values = tensors.layout(operand.tensor()).vals();
    rows(values, place.from(), along, down, code);
    rows(result, place.to(), down, along, code);
  }

  /** Lines of {@code rows.step()} rows of neighbours along {@code row}. */
  private static void rows(Buffer buffer, Expr place, Side rows, Side row, Code code) {
    LoopVariable number = LoopVariable.integer(code.fresh("row"));
    Code each = code.nested();
    Expr start = each.name("row_start", Expr.add(place, Expr.mul(Expr.of(number), rows.stride())));
    LoopVariable line = LoopVariable.integer(each.fresh("line"));
    long values = LINE_BYTES / buffer.element().bytes();
    Expr inside = Expr.add(start, Expr.mul(Expr.of(line), Expr.of(values)));
    Stmt.Block lines = Stmt.Block.of(new Stmt.Prefetch(buffer, inside, 1));
    Expr count = Block.divideUp(row.step(), values);
    each.add(new Stmt.For(line, Expr.of(0), count, lines, ONE_BY_ONE));
    Expr last = Expr.sub(Expr.add(start, row.step()), Expr.of(1));
    each.add(new Stmt.Prefetch(buffer, last, 1));
    code.add(new Stmt.For(number, Expr.of(0), rows.step(), each.block(), ONE_BY_ONE));
  }

  private void copy(
      Place place,
      Expr height,
      Expr width,
      Side down,
      Side along,
      KernelTensors tensors,
      Code code) {
    Buffer result = tensors.layout(target.tensor()).vals();
    Buffer values = tensors.layout(operand.tensor()).vals();
    LoopVariable h = LoopVariable.integer(code.fresh("h"));
    Code line = code.nested();
    Expr start = line.name("line", Expr.add(place.to(), Expr.mul(Expr.of(h), down.stride())));
    Expr read = line.name("read", Expr.add(place.from(), Expr.of(h)));
    LoopVariable w = LoopVariable.integer(line.fresh("w"));
    Expr value = new Expr.Load(values, Expr.add(read, Expr.mul(Expr.of(w), along.stride())));
    Stmt.Block body = Stmt.Block.of(new Stmt.Store(result, Expr.add(start, Expr.of(w)), value));
    line.add(new Stmt.For(w, Expr.of(0), width, body, LoopTraits.SCALAR));
    code.add(new Stmt.For(h, Expr.of(0), height, line.block(), ONE_BY_ONE));
  }
}
