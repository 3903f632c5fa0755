package org.weft.compiler.lower.panel;

import java.util.List;
import java.util.function.UnaryOperator;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.memory.ElementType;

/**
 * A block of one operand of a contraction as panels: {@code width} counts of a group times some
 * terms, the counts of a term next to each other.
 *
 * <pre>
 * panel 0                      panel 1
 * term 0      term 1    ...    term 0
 * 0 1 2 3 4 5 0 1 2 3 4 5 ...  6 7 8 9 10 11 ...       width = 6
 * </pre>
 *
 * A panel does not reach past a run of the group; counts behind the run repeat its last one, and
 * what is computed from them is dropped. Where the operand's neighbours are counts of successive
 * runs, the panels of some lines of runs follow each other, so that they are packed together:
 * memory is far faster at several lines in a row than at one here and one there.
 */
final class PackedSide {
  private static final int OPERAND = 0;
  private static final int RESULT = 1;

  /**
   * Runs that lie in one line of the operand where its neighbours are counts of successive runs.
   */
  private static final long LINE = 8;

  /** Between panels: those at multiples of a cache's ways would push each other out. */
  private static final long GAP_BYTES = 64;

  /** Lines of a cell that are asked for ahead where each term is in lines of its own. */
  private static final long AHEAD = 4;

  private final String name;
  private final LabelGroup group;
  private final long width;
  private final long block;
  private final Buffer operand;
  private final UnaryOperator<Expr> value;
  private final boolean crossed;
  private final boolean termsAreNeighbours;
  private final Buffer offsets;
  private final Buffer targets;
  private final Buffer lanes;
  private final Buffer gaps;
  private final Buffer panels;
  private final Expr chunks;
  private final Expr lines;
  private final Expr together;
  private final Expr all;

  /**
   * @param group whose tensors are the operand and the result
   * @param width counts of a panel
   * @param block counts of a block, a multiple of {@code width}
   * @param value what is stored for a loaded number
   * @param crossed whether the operand's neighbours are counts of successive runs
   * @param termsAreNeighbours whether they are successive terms
   * @param head where the number of panels is computed
   */
  PackedSide(
      String name,
      LabelGroup group,
      long width,
      long block,
      Buffer operand,
      ScalarType type,
      UnaryOperator<Expr> value,
      boolean crossed,
      boolean termsAreNeighbours,
      Code head) {
    this.name = name;
    this.group = group;
    this.width = width;
    this.block = block;
    this.operand = operand;
    this.value = value;
    this.crossed = crossed;
    this.termsAreNeighbours = termsAreNeighbours;
    offsets = buffer(name + "_offsets", ElementType.I64, head);
    targets = buffer(name + "_targets", ElementType.I64, head);
    lanes = buffer(name + "_lanes", ElementType.I64, head);
    gaps = buffer(name + "_gaps", ElementType.I64, head);
    panels = buffer(name + "_panels", KernelTensors.elementOf(type), head);
    chunks = head.name(name + "_chunks", Block.divideUp(group.run(), width));
    lines = crossed ? head.name(name + "_lines", lines(group.passes(), block / width)) : Expr.of(1);
    together = crossed ? head.name(name + "_together", Expr.mul(lines, Expr.of(LINE))) : lines;
    Expr runs = Expr.mul(up(group.runs(), together), together);
    all = head.name(name + "_all_panels", Expr.mul(runs, chunks));
  }

  /**
   * Lines of the operand that are packed together: those of a pass through the label before the
   * last, in as few equal parts as a block has room for.
   *
   * @param panels of a block
   */
  private static Expr lines(Expr pass, long panels) {
    Expr all = Expr.binary(Expr.Op.MAX, Block.divideUp(pass, LINE), Expr.of(1));
    return up(all, Block.divideUp(all, Math.max(1, panels / LINE)));
  }

  private static Expr up(Expr value, Expr divisor) {
    return Expr.binary(Expr.Op.DIV, Expr.sub(Expr.add(value, divisor), Expr.of(1)), divisor);
  }

  private static Buffer buffer(String name, ElementType element, Code names) {
    return new Buffer(names.fresh(name), element, Buffer.Kind.WORKSPACE);
  }

  long width() {
    return width;
  }

  Buffer panels() {
    return panels;
  }

  /** How many panels the whole side has. */
  Expr count() {
    return all;
  }

  /** Panels that belong together in a block: a whole run, where a block has room for one. */
  Expr unit(Code code) {
    if (crossed) {
      return together;
    }
    Expr most = Expr.of(block / width);
    Expr unit = new Expr.Select(Expr.binary(Expr.Op.LE, chunks, most), chunks, Expr.of(1));
    return code.name(name + "_unit", Expr.binary(Expr.Op.MAX, unit, Expr.of(1)));
  }

  /** The most panels of a block. */
  Expr most() {
    Expr most = Expr.of(block / width);
    return crossed ? Expr.binary(Expr.Op.MAX, most, together) : most;
  }

  /** Room for a block of {@code count} panels with at most {@code depth} terms. */
  void allocate(Expr count, Expr depth, Code code) {
    Expr padded = code.name(name + "_room", Expr.mul(count, Expr.of(width)));
    code.add(new Stmt.AllocateWorkspace(offsets, Expr.add(padded, Expr.of(width))));
    code.add(new Stmt.AllocateWorkspace(targets, padded));
    code.add(new Stmt.AllocateWorkspace(lanes, count));
    code.add(new Stmt.AllocateWorkspace(gaps, count));
    code.add(new Stmt.AllocateWorkspace(panels, Expr.mul(count, size(depth))));
  }

  /** Elements from the start of a panel with {@code depth} terms to that of the next. */
  Expr size(Expr depth) {
    return Expr.add(Expr.mul(depth, Expr.of(width)), Expr.of(GAP_BYTES / panels.element().bytes()));
  }

  void free(Code code) {
    for (Buffer buffer : List.of(panels, gaps, lanes, targets, offsets)) {
      code.add(new Stmt.FreeWorkspace(buffer));
    }
  }

  /** Notes where the counts of panels [from, from + count) lie. */
  void locate(Expr from, Expr count, Code code) {
    LoopVariable panel = LoopVariable.integer(code.fresh(name + "_at_panel"));
    Code each = code.nested();
    Expr number = each.name(name + "_number", Expr.add(from, Expr.of(panel)));
    Expr run;
    Expr chunk;
    Expr used = group.run();
    if (crossed) {
      Expr strip = each.name(name + "_strip_at", Expr.binary(Expr.Op.DIV, number, together));
      Expr strips = each.name(name + "_strips", Expr.binary(Expr.Op.DIV, strip, chunks));
      Expr inStrip = Expr.binary(Expr.Op.REM, number, together);
      Expr wanted = each.name(name + "_wanted", Expr.add(Expr.mul(strips, together), inStrip));
      Expr last = Expr.sub(group.runs(), Expr.of(1));
      run = each.name(name + "_run", Expr.min(wanted, last));
      chunk = each.name(name + "_chunk", Expr.sub(strip, Expr.mul(strips, chunks)));
      used = new Expr.Select(Expr.equal(wanted, run), used, Expr.of(0));
    } else {
      run = each.name(name + "_run", Expr.binary(Expr.Op.DIV, number, chunks));
      chunk = Expr.sub(number, Expr.mul(run, chunks));
    }
    Expr inside = each.name(name + "_inside", Expr.mul(chunk, Expr.of(width)));
    Expr rest = Expr.sub(group.run(), inside);
    Expr valid = each.name(name + "_valid", Expr.min(rest, Expr.of(width)));
    Expr at = each.name(name + "_count_at", Expr.add(Expr.mul(run, group.run()), inside));
    Expr first = each.name(name + "_table_at", Expr.mul(Expr.of(panel), Expr.of(width)));
    group.fill(List.of(offsets, targets), first, at, valid, Expr.of(width), each);
    Expr taken = crossed ? Expr.min(valid, used) : valid;
    each.add(new Stmt.Store(lanes, Expr.of(panel), taken));
    Expr apart = group.isUnit(RESULT) ? gaps(targets, first, each) : Expr.of(width);
    each.add(new Stmt.Store(gaps, Expr.of(panel), apart));
    code.add(new Stmt.For(panel, Expr.of(0), count, each.block(), LoopTraits.FEW));
  }

  /** The place in the result of count {@code at} of the block. */
  Expr target(Expr at) {
    return new Expr.Load(targets, at);
  }

  /** How many counts of a panel are in use: those not behind the run. */
  Expr lanes(Expr panel) {
    return new Expr.Load(lanes, panel);
  }

  /** Whether the counts of a panel are neighbours in the result. */
  Expr isRowOfResult(Expr panel) {
    return Expr.equal(new Expr.Load(gaps, panel), Expr.of(0));
  }

  /** How many counts of the panel from {@code first} on are not followed by their neighbour. */
  private Expr gaps(Buffer table, Expr first, Code code) {
    return gaps(table, first, Expr.of(width - 1), code);
  }

  private Expr gaps(Buffer table, Expr first, Expr steps, Code code) {
    LoopVariable found = code.declare(name + "_apart", Expr.of(0));
    LoopVariable step = LoopVariable.integer(code.fresh(name + "_step"));
    Code each = code.nested();
    Expr at = Expr.add(first, Expr.of(step));
    Expr next = new Expr.Load(table, Expr.add(at, Expr.of(1)));
    Expr apart = new Expr.Not(Expr.equal(Expr.add(new Expr.Load(table, at), Expr.of(1)), next));
    each.assign(found, Expr.add(Expr.of(found), new Expr.Convert(apart, ScalarType.I64)));
    code.add(new Stmt.For(step, Expr.of(0), steps, each.block(), LabelGroup.table(steps)));
    return Expr.of(found);
  }

  /** Packs all {@code count} panels of a block, on one thread. */
  void packAll(Expr count, Expr origin, Buffer terms, Expr depth, Code code) {
    if (crossed) {
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
    Expr panel = code.name(name + "_panel", Expr.mul(number, size(depth)));
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
      Expr row = Expr.equal(gaps(offsets, first, code), Expr.of(0));
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
    Expr panel = code.name(name + "_panel", Expr.mul(number, size(depth)));
    LoopVariable line = LoopVariable.integer(code.fresh(name + "_line"));
    Code each = code.nested();
    Expr before = each.name(name + "_before", Expr.mul(Expr.of(line), Expr.of(LINE)));
    Expr source = each.name(name + "_source", Expr.add(origin, new Expr.Load(terms, before)));
    Expr row = Expr.add(panel, Expr.mul(before, Expr.of(width)));
    Expr to = each.name(name + "_row", row);
    Expr rest = each.name(name + "_rest", Expr.min(Expr.sub(depth, before), Expr.of(LINE)));
    Code whole = each.nested();
    line(first, source, to, Expr.of(LINE), 0, term -> Expr.add(source, term), whole);
    Code some = each.nested();
    line(
        first,
        source,
        to,
        rest,
        1,
        term -> Expr.add(origin, new Expr.Load(terms, Expr.add(before, term))),
        some);
    Expr apart = gaps(terms, before, Expr.sub(rest, Expr.of(1)), each);
    Expr missing = Expr.sub(Expr.of(LINE), rest);
    Expr inOne = Expr.equal(Expr.add(apart, missing), Expr.of(0));
    each.add(new Stmt.If(inOne, whole.block(), some.block()));
    Expr lines = Block.divideUp(depth, LINE);
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

  /** Packs the panels of some lines of runs together: every line of the operand is read once. */
  private void crossed(Expr count, Expr origin, Buffer terms, Expr depth, Code code) {
    LoopVariable strip = LoopVariable.integer(code.fresh(name + "_strip"));
    Code group = code.nested();
    Expr first = group.name(name + "_first", Expr.mul(Expr.of(strip), together));
    Expr size = group.name(name + "_panel_size", size(depth));
    LoopVariable term = LoopVariable.integer(group.fresh(name + "_term"));
    Code each = group.nested();
    Expr source =
        each.name(name + "_source", Expr.add(origin, new Expr.Load(terms, Expr.of(term))));
    Expr last = Expr.sub(depth, Expr.of(1));
    Expr later = Expr.min(Expr.add(Expr.of(term), up(Expr.of(AHEAD), lines)), last);
    Expr ahead = each.name(name + "_ahead", Expr.add(origin, new Expr.Load(terms, later)));
    Expr row = each.name(name + "_row", Expr.mul(Expr.of(term), Expr.of(width)));
    LoopVariable cell = LoopVariable.integer(each.fresh(name + "_cell"));
    Code cells = each.nested();
    LoopVariable line = LoopVariable.integer(cells.fresh(name + "_line"));
    Code eight = cells.nested();
    Expr number = Expr.add(first, Expr.mul(Expr.of(line), Expr.of(LINE)));
    Expr panel = eight.name(name + "_panel", number);
    Expr table = Expr.add(Expr.mul(panel, Expr.of(width)), Expr.of(cell));
    Expr entry = eight.name(name + "_entry", table);
    Expr inPanel = Expr.add(row, Expr.of(cell));
    Expr to = eight.name(name + "_to", Expr.add(Expr.mul(panel, size), inPanel));
    Expr wanted = Expr.add(ahead, new Expr.Load(offsets, entry));
    eight.add(new Stmt.Prefetch(operand, wanted, 1, 2));
    for (long run = 0; run < LINE; run++) {
      Expr offset = new Expr.Load(offsets, Expr.add(entry, Expr.of(run * width)));
      Expr loaded = new Expr.Load(operand, Expr.add(source, offset));
      Expr place = Expr.add(to, Expr.mul(Expr.of(run), size));
      eight.add(new Stmt.Store(panels, place, value.apply(loaded)));
    }
    cells.add(new Stmt.For(line, Expr.of(0), lines, eight.block(), LoopTraits.SCALAR));
    each.add(new Stmt.For(cell, Expr.of(0), Expr.of(width), cells.block(), LoopTraits.SERIAL));
    group.add(new Stmt.For(term, Expr.of(0), depth, each.block(), LoopTraits.SERIAL));
    Expr strips = Expr.binary(Expr.Op.DIV, count, together);
    code.add(new Stmt.For(strip, Expr.of(0), strips, group.block(), LoopTraits.SERIAL));
  }
}
