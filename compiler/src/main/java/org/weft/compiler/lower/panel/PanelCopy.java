package org.weft.compiler.lower.panel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Block;

/**
 * Copies an operand of a contraction into the panels of a {@link PackedSide}, in whichever order
 * reads whole lines of memory: along the counts of a panel, along its terms, or along successive
 * runs. Where neighbours of the operand are none of the panel, squares are transposed in registers.
 */
final class PanelCopy {
  private static final int OPERAND = 0;

  /** Lines of a cell that are asked for ahead where each term is in lines of its own. */
  private static final long AHEAD = 4;

  private final PackedSide side;
  private final String name;
  private final LabelGroup group;
  private final long width;
  private final Buffer operand;
  private final UnaryOperator<Expr> value;
  private final boolean termsAreNeighbours;
  private final boolean squares;
  private final Buffer offsets;
  private final Buffer panels;
  private final Expr lines;
  private final Expr together;

  PanelCopy(
      PackedSide side,
      String name,
      LabelGroup group,
      Buffer operand,
      UnaryOperator<Expr> value,
      boolean termsAreNeighbours,
      boolean squares,
      Buffer offsets,
      Expr lines,
      Expr together) {
    this.side = side;
    this.name = name;
    this.group = group;
    this.width = side.width();
    this.operand = operand;
    this.value = value;
    this.termsAreNeighbours = termsAreNeighbours;
    this.squares = squares;
    this.offsets = offsets;
    this.panels = side.panels();
    this.lines = lines;
    this.together = together;
  }

  /** Packs all {@code count} panels of a block, on one thread. */
  void packAll(Expr count, Expr origin, Buffer terms, Expr depth, Code code) {
    if (side.isCrossed()) {
      crossed(count, origin, terms, depth, code);
      return;
    }
    LoopVariable panel = LoopVariable.integer(code.fresh("panel"));
    Code each = code.nested();
    pack(Expr.of(panel), origin, terms, depth, each);
    code.add(new Stmt.For(panel, Expr.of(0), count, each.block(), LoopTraits.SERIAL));
  }

  /**
   * Packs panel {@code number}.
   *
   * @param origin where the batch begins in the operand
   * @param terms where the terms lie in the operand
   * @param depth how many terms there are
   */
  void pack(Expr number, Expr origin, Buffer terms, Expr depth, Code code) {
    if (termsAreNeighbours) {
      along(number, origin, terms, depth, code);
      return;
    }
    Expr first = code.name(name + "_first", Expr.mul(number, Expr.of(width)));
    Expr panel = code.name(name + "_panel", Expr.mul(number, side.size(depth)));
    Expr start = code.name(name + "_start", Expr.add(origin, new Expr.Load(offsets, first)));
    Code rows = code.nested();
    copy(panel, terms, depth, rows, (term, cell) -> Expr.add(Expr.add(start, term), cell), true);
    Code scattered = code.nested();
    copy(
        panel,
        terms,
        depth,
        scattered,
        (term, cell) -> {
          Expr offset = new Expr.Load(offsets, Expr.add(first, cell));
          return Expr.add(Expr.add(origin, term), offset);
        },
        false);
    if (group.isUnit(OPERAND)) {
      Expr row = Expr.equal(side.gaps(offsets, first, code), Expr.of(0));
      code.add(new Stmt.If(row, rows.block(), scattered.block()));
    } else {
      code.addAll(scattered);
    }
  }

  /** Where a cell of a term lies in the operand. */
  private interface Place {
    Expr of(Expr term, Expr cell);
  }

  private void copy(
      Expr panel, Buffer terms, Expr depth, Code code, Place place, boolean neighbours) {
    LoopVariable term = LoopVariable.integer(code.fresh(name + "_term"));
    Code each = code.nested();
    Expr offset = each.name(name + "_source", new Expr.Load(terms, Expr.of(term)));
    Expr row = Expr.add(panel, Expr.mul(Expr.of(term), Expr.of(width)));
    Expr to = each.name(name + "_row", row);
    LoopVariable cell = LoopVariable.integer(each.fresh(name + "_cell"));
    Code inner = each.nested();
    Expr loaded = new Expr.Load(operand, place.of(offset, Expr.of(cell)));
    inner.add(new Stmt.Store(panels, Expr.add(to, Expr.of(cell)), value.apply(loaded)));
    LoopTraits traits = neighbours ? LoopTraits.VECTOR : LoopTraits.SCALAR;
    each.add(new Stmt.For(cell, Expr.of(0), Expr.of(width), inner.block(), traits));
    code.add(new Stmt.For(term, Expr.of(0), depth, each.block(), LoopTraits.SERIAL));
  }

  /** Packs a panel line of terms by line of terms, and asks for the lines of the next panel. */
  private void along(Expr number, Expr origin, Buffer terms, Expr depth, Code code) {
    Expr first = code.name(name + "_first", Expr.mul(number, Expr.of(width)));
    Expr panel = code.name(name + "_panel", Expr.mul(number, side.size(depth)));
    LoopVariable line = LoopVariable.integer(code.fresh(name + "_line"));
    Code each = code.nested();
    Expr before = each.name(name + "_before", Expr.mul(Expr.of(line), Expr.of(PackedSide.LINE)));
    Expr source = each.name(name + "_source", Expr.add(origin, new Expr.Load(terms, before)));
    Expr row = Expr.add(panel, Expr.mul(before, Expr.of(width)));
    Expr to = each.name(name + "_row", row);
    Expr rest =
        each.name(name + "_rest", Expr.min(Expr.sub(depth, before), Expr.of(PackedSide.LINE)));
    Code whole = each.nested();
    line(first, source, to, Expr.of(PackedSide.LINE), 0, term -> Expr.add(source, term), whole);
    Code some = each.nested();
    line(
        first,
        source,
        to,
        rest,
        1,
        term -> Expr.add(origin, new Expr.Load(terms, Expr.add(before, term))),
        some);
    Expr apart = side.gaps(terms, before, Expr.sub(rest, Expr.of(1)), each);
    Expr missing = Expr.sub(Expr.of(PackedSide.LINE), rest);
    Expr inOne = Expr.equal(Expr.add(apart, missing), Expr.of(0));
    each.add(new Stmt.If(inOne, whole.block(), some.block()));
    Expr lines = Block.divideUp(depth, PackedSide.LINE);
    code.add(new Stmt.For(line, Expr.of(0), lines, each.block(), LoopTraits.SERIAL));
  }

  private void line(
      Expr first,
      Expr source,
      Expr to,
      Expr count,
      int copies,
      UnaryOperator<Expr> term,
      Code code) {
    if (copies == 0 && squares && turns()) {
      turned(first, source, to, code);
      return;
    }
    LoopVariable cell = LoopVariable.integer(code.fresh(name + "_cell"));
    Code each = code.nested();
    Expr entry = Expr.add(first, Expr.of(cell));
    Expr next = new Expr.Load(offsets, Expr.add(entry, Expr.of(width)));
    each.add(new Stmt.Prefetch(operand, Expr.add(source, next), 1, 2));
    Expr offset = each.name(name + "_offset", new Expr.Load(offsets, entry));
    Expr place = each.name(name + "_to", Expr.add(to, Expr.of(cell)));
    LoopVariable number = LoopVariable.integer(each.fresh(name + "_term"));
    Code inner = each.nested();
    Expr loaded = new Expr.Load(operand, Expr.add(term.apply(Expr.of(number)), offset));
    Expr at = Expr.add(place, Expr.mul(Expr.of(number), Expr.of(width)));
    inner.add(new Stmt.Store(panels, at, value.apply(loaded)));
    LoopTraits along = LoopTraits.SCALAR.withUnroll(copies);
    each.add(new Stmt.For(number, Expr.of(0), count, inner.block(), along));
    LoopTraits traits = LoopTraits.SERIAL.withUnroll(1);
    code.add(new Stmt.For(cell, Expr.of(0), Expr.of(width), each.block(), traits));
  }

  /** Packs a whole line of terms, transposing squares in registers. */
  private void turned(Expr first, Expr source, Expr to, Code code) {
    int side = Stmt.Turn.side(operand.element());
    LoopVariable square = LoopVariable.integer(code.fresh(name + "_square"));
    Code each = code.nested();
    Expr cell = each.name(name + "_cell", Expr.mul(Expr.of(square), Expr.of(side)));
    Expr entry = each.name(name + "_entry", Expr.add(first, cell));
    List<Expr> reads = new ArrayList<>();
    for (int one = 0; one < side; one++) {
      Expr at = Expr.add(entry, Expr.of(one));
      Expr next = new Expr.Load(offsets, Expr.add(at, Expr.of(width)));
      each.add(new Stmt.Prefetch(operand, Expr.add(source, next), 1, 2));
      reads.add(each.name(name + "_read", Expr.add(source, new Expr.Load(offsets, at))));
    }
    for (int half = 0; half < PackedSide.LINE; half += side) {
      List<Expr> from = new ArrayList<>();
      List<Expr> places = new ArrayList<>();
      for (int one = 0; one < side; one++) {
        from.add(Expr.add(reads.get(one), Expr.of(half)));
        places.add(Expr.add(Expr.add(to, cell), Expr.of((half + one) * width)));
      }
      each.add(new Stmt.Turn(operand, from, panels, places));
    }
    Expr squares = Expr.of(width / side);
    code.add(new Stmt.For(square, Expr.of(0), squares, each.block(), LoopTraits.SERIAL));
  }

  /** Whether numbers are copied as they are, in squares that a panel is made of. */
  private boolean turns() {
    Expr probe = new Expr.Load(operand, Expr.of(0));
    return operand.element() == panels.element()
        && value.apply(probe) == probe
        && side.isSquare(operand.element());
  }

  /** Packs the panels of some lines of runs together: every line of the operand is read once. */
  private void crossed(Expr count, Expr origin, Buffer terms, Expr depth, Code code) {
    LoopVariable strip = LoopVariable.integer(code.fresh(name + "_strip"));
    Code group = code.nested();
    Expr first = group.name(name + "_first", Expr.mul(Expr.of(strip), together));
    Expr size = group.name(name + "_panel_size", side.size(depth));
    LoopVariable term = LoopVariable.integer(group.fresh(name + "_term"));
    Code each = group.nested();
    Expr source =
        each.name(name + "_source", Expr.add(origin, new Expr.Load(terms, Expr.of(term))));
    Expr last = Expr.sub(depth, Expr.of(1));
    Expr later = Expr.min(Expr.add(Expr.of(term), PackedSide.up(Expr.of(AHEAD), lines)), last);
    Expr ahead = each.name(name + "_ahead", Expr.add(origin, new Expr.Load(terms, later)));
    Expr row = each.name(name + "_row", Expr.mul(Expr.of(term), Expr.of(width)));
    LoopVariable cell = LoopVariable.integer(each.fresh(name + "_cell"));
    Code cells = each.nested();
    LoopVariable line = LoopVariable.integer(cells.fresh(name + "_line"));
    Code eight = cells.nested();
    Expr number = Expr.add(first, Expr.mul(Expr.of(line), Expr.of(PackedSide.LINE)));
    Expr panel = eight.name(name + "_panel", number);
    int step = turns() ? Stmt.Turn.side(operand.element()) : 1;
    Expr at = Expr.mul(Expr.of(cell), Expr.of(step));
    Expr entry = eight.name(name + "_entry", Expr.add(Expr.mul(panel, Expr.of(width)), at));
    Expr to = eight.name(name + "_to", Expr.add(Expr.mul(panel, size), Expr.add(row, at)));
    for (int one = 0; one < step; one++) {
      Expr wanted = Expr.add(ahead, new Expr.Load(offsets, Expr.add(entry, Expr.of(one))));
      eight.add(new Stmt.Prefetch(operand, wanted, 1, 2));
    }
    Code scalar = eight.nested();
    for (long run = 0; run < PackedSide.LINE; run++) {
      for (int one = 0; one < step; one++) {
        Expr offset = new Expr.Load(offsets, Expr.add(entry, Expr.of(run * width + one)));
        Expr loaded = new Expr.Load(operand, Expr.add(source, offset));
        Expr place = Expr.add(Expr.add(to, Expr.of(one)), Expr.mul(Expr.of(run), size));
        scalar.add(new Stmt.Store(panels, place, value.apply(loaded)));
      }
    }
    if (turns()) {
      Code turned = eight.nested();
      for (int half = 0; half < PackedSide.LINE; half += step) {
        List<Expr> reads = new ArrayList<>();
        List<Expr> places = new ArrayList<>();
        for (int one = 0; one < step; one++) {
          Expr offset = new Expr.Load(offsets, Expr.add(entry, Expr.of(one)));
          reads.add(Expr.add(Expr.add(source, offset), Expr.of(half)));
          places.add(Expr.add(to, Expr.mul(Expr.of(half + one), size)));
        }
        turned.add(new Stmt.Turn(operand, reads, panels, places));
      }
      eight.add(new Stmt.If(side.isLine(panel), turned.block(), scalar.block()));
    } else {
      eight.addAll(scalar);
    }
    cells.add(new Stmt.For(line, Expr.of(0), lines, eight.block(), LoopTraits.SCALAR));
    Expr steps = Expr.of(width / step);
    each.add(new Stmt.For(cell, Expr.of(0), steps, cells.block(), LoopTraits.SERIAL));
    group.add(new Stmt.For(term, Expr.of(0), depth, each.block(), LoopTraits.SERIAL));
    Expr strips = Expr.binary(Expr.Op.DIV, count, together);
    code.add(new Stmt.For(strip, Expr.of(0), strips, group.block(), LoopTraits.SERIAL));
  }
}
