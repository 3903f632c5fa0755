package org.weft.compiler.lower.panel;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
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
 * what is computed from them is dropped. Where the neighbours of the operand or of the result are
 * counts of successive runs, the panels of some lines of runs follow each other, so that they are
 * packed or written together: memory is far faster at whole lines than at a number here and there.
 */
final class PackedSide {
  private static final int OPERAND = 0;
  private static final int RESULT = 1;

  /**
   * Runs that lie in one line of the operand where its neighbours are counts of successive runs.
   */
  static final long LINE = 8;

  /** Between panels: those at multiples of a cache's ways would push each other out. */
  private static final long GAP_BYTES = 64;

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
  private final Buffer breaks;
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
   * @param crossed whether the operand's neighbours, or those of the result, are counts of
   *     successive runs
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
    breaks = buffer(name + "_breaks", ElementType.I64, head);
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

  static Expr up(Expr value, Expr divisor) {
    return Expr.binary(Expr.Op.DIV, Expr.sub(Expr.add(value, divisor), Expr.of(1)), divisor);
  }

  private static Buffer buffer(String name, ElementType element, Code names) {
    return new Buffer(names.fresh(name), element, Buffer.Kind.WORKSPACE);
  }

  /**
   * What copies the operand into the panels.
   *
   * @param squares whether terms that are neighbours are transposed in registers: less to do where
   *     copying takes a good part of the time, and more to compile
   */
  PanelCopy copy(boolean squares) {
    return new PanelCopy(
        this, name, group, operand, value, termsAreNeighbours, squares, offsets, lines, together);
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

  /**
   * Room for a block of {@code count} panels with at most {@code depth} terms.
   *
   * @param located how many panels {@link #locate} is asked for at the most
   */
  void allocate(Expr count, Expr located, Expr depth, Code code) {
    Expr padded = code.name(name + "_room", Expr.mul(located, Expr.of(width)));
    code.add(new Stmt.AllocateWorkspace(offsets, Expr.add(padded, Expr.of(width))));
    code.add(new Stmt.AllocateWorkspace(targets, padded));
    code.add(new Stmt.AllocateWorkspace(lanes, located));
    code.add(new Stmt.AllocateWorkspace(gaps, located));
    code.add(new Stmt.AllocateWorkspace(breaks, located));
    code.add(new Stmt.AllocateWorkspace(panels, Expr.mul(count, size(depth))));
  }

  /** Elements from the start of a panel with {@code depth} terms to that of the next. */
  Expr size(Expr depth) {
    return Expr.add(Expr.mul(depth, Expr.of(width)), Expr.of(GAP_BYTES / panels.element().bytes()));
  }

  void free(Code code) {
    for (Buffer buffer : List.of(panels, breaks, gaps, lanes, targets, offsets)) {
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
    if (crossed) {
      noteBreaks(count, code);
    }
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
  Expr gaps(Buffer table, Expr first, Code code) {
    return gaps(table, first, Expr.of(width - 1), code);
  }

  Expr gaps(Buffer table, Expr first, Expr steps, Code code) {
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

  /**
   * The lines of the operand that a tile asks for, so that those of the next block have arrived
   * when it is packed: one for each term.
   *
   * @param panel of this side, to which the tile belongs
   * @param tile which of the panel's tiles it is
   * @param size panels of this block, behind which those of the next one have been located
   * @param next panels of the next block
   */
  @Nullable Ahead ahead(
      Expr panel, Expr tile, Expr size, Expr next, Expr origin, Buffer terms, Code code) {
    boolean inRuns = isCrossed();
    if (!inRuns && !termsAreNeighbours && !group.isUnit(OPERAND)) {
      return null;
    }
    long lines = Math.max(1, width / LINE);
    Expr found = Expr.min(panel, Expr.sub(next, Expr.of(1)));
    Expr within = inRuns ? Expr.binary(Expr.Op.REM, found, Expr.of(LINE)) : Expr.of(0);
    Expr inLine = code.name(name + "_in_line", within);
    Expr first = Expr.mul(Expr.add(size, Expr.sub(found, inLine)), Expr.of(width));
    Expr cell = Expr.add(Expr.mul(inLine, Expr.of(lines)), tile);
    if (!inRuns) {
      cell = termsAreNeighbours ? Expr.mul(tile, Expr.of(LINE)) : Expr.of(0);
    }
    Expr isWanted = Expr.and(Expr.lessThan(tile, Expr.of(lines)), Expr.lessThan(Expr.of(0), next));
    Expr wanted = new Expr.Select(isWanted, Expr.add(first, cell), Expr.of(0));
    Expr entry = code.name(name + "_ahead", wanted);
    if (termsAreNeighbours) {
      return new Ahead(
          operand,
          term -> {
            Expr number = Expr.binary(Expr.Op.REM, term, Expr.of(LINE));
            Expr begin = new Expr.Load(terms, Expr.sub(term, number));
            Expr cellInPanel = width < LINE ? Expr.min(number, Expr.of(width - 1)) : number;
            Expr offset = new Expr.Load(offsets, Expr.add(entry, cellInPanel));
            return Expr.add(Expr.add(origin, offset), begin);
          });
    }
    Expr along = Expr.of(0);
    if (!inRuns) {
      long line = Stmt.StreamLine.BYTES / operand.element().bytes();
      along = new Expr.Select(isWanted, Expr.mul(tile, Expr.of(line)), Expr.of(0));
    }
    Expr offset = Expr.add(new Expr.Load(offsets, entry), along);
    Expr start = code.name(name + "_ahead_at", Expr.add(origin, offset));
    return new Ahead(operand, term -> Expr.add(start, new Expr.Load(terms, term)));
  }

  /**
   * Lines of memory that are asked for long before they are read.
   *
   * @param line where the line lies that is asked for with a term
   */
  record Ahead(Buffer operand, UnaryOperator<Expr> line) {
    Stmt with(Expr term) {
      return new Stmt.Prefetch(operand, line.apply(term), 1, 2);
    }
  }

  /** Notes for each line of runs how often its runs are no neighbours, at its first panel. */
  private void noteBreaks(Expr count, Code code) {
    Buffer table = writesLines() ? targets : offsets;
    LoopVariable line = LoopVariable.integer(code.fresh(name + "_line"));
    Code each = code.nested();
    Expr panel = each.name(name + "_panel", Expr.mul(Expr.of(line), Expr.of(LINE)));
    Expr entry = each.name(name + "_entry", Expr.mul(panel, Expr.of(width)));
    Expr breaks = Expr.of(0);
    for (long run = 1; run < LINE; run++) {
      Expr before = new Expr.Load(table, Expr.add(entry, Expr.of((run - 1) * width)));
      Expr offset = new Expr.Load(table, Expr.add(entry, Expr.of(run * width)));
      Expr apart = new Expr.Not(Expr.equal(Expr.add(before, Expr.of(1)), offset));
      breaks = Expr.add(breaks, new Expr.Convert(apart, ScalarType.I64));
    }
    each.add(new Stmt.Store(this.breaks, panel, breaks));
    Expr lines = Expr.binary(Expr.Op.DIV, count, Expr.of(LINE));
    code.add(new Stmt.For(line, Expr.of(0), lines, each.block(), LoopTraits.FEW));
  }

  /** Whether the operand's neighbours are counts of successive runs. */
  boolean isCrossed() {
    return crossed && !group.isUnit(OPERAND);
  }

  /** Whether the panels of a line of runs follow each other and are neighbours in the result. */
  boolean writesLines() {
    return crossed && group.isUnit(OPERAND);
  }

  /** Whether the runs of the line whose first panel is {@code panel} are neighbours. */
  Expr isLine(Expr panel) {
    return Expr.equal(new Expr.Load(breaks, panel), Expr.of(0));
  }

  /** Whether all cells of the line of runs that begins at {@code panel} are in use. */
  Expr isWholeLine(Expr panel) {
    return Expr.and(isLine(panel), Expr.equal(lanes(panel), Expr.of(width)));
  }

  /** Whether panels are made of squares that are transposed in registers. */
  boolean isSquare(ElementType element) {
    int bytes = element.bytes();
    return (bytes == Double.BYTES || bytes == Float.BYTES) && width % Stmt.Turn.side(element) == 0;
  }
}
