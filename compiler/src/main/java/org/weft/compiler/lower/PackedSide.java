package org.weft.compiler.lower;

import java.util.List;
import java.util.function.UnaryOperator;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.memory.ElementType;

/**
 * A block of one operand of a contraction as panels: {@code width} counts of a group times {@code
 * depth} terms, the counts of a term next to each other.
 *
 * <pre>
 * panel 0                      panel 1
 * term 0      term 1    ...    term 0
 * 0 1 2 3 4 5 0 1 2 3 4 5 ...  6 7 8 9 10 11 ...       width = 6
 * </pre>
 *
 * Counts past the end of a last panel repeat the last one; what is computed from them is dropped.
 */
final class PackedSide {
  private static final int OPERAND = 0;
  private static final int RESULT = 1;

  private final String name;
  private final LabelGroup group;
  private final long width;
  private final long block;
  private final Buffer operand;
  private final UnaryOperator<Expr> value;
  private final Buffer offsets;
  private final Buffer targets;
  private final Buffer gaps;
  private final Buffer panels;

  /**
   * @param group whose tensors are the operand and the result
   * @param width counts of a panel
   * @param block counts of a block, a multiple of {@code width}
   * @param value what is stored for a loaded number
   */
  PackedSide(
      String name,
      LabelGroup group,
      long width,
      long block,
      Buffer operand,
      ScalarType type,
      UnaryOperator<Expr> value,
      Code names) {
    this.name = name;
    this.group = group;
    this.width = width;
    this.block = block;
    this.operand = operand;
    this.value = value;
    offsets = buffer(name + "_offsets", ElementType.I64, names);
    targets = buffer(name + "_targets", ElementType.I64, names);
    gaps = buffer(name + "_gaps", ElementType.I64, names);
    panels = buffer(name + "_panels", Tensors.elementOf(type), names);
  }

  private static Buffer buffer(String name, ElementType element, Code names) {
    return new Buffer(names.fresh(name), element, Buffer.Kind.WORKSPACE);
  }

  LabelGroup group() {
    return group;
  }

  long width() {
    return width;
  }

  long block() {
    return block;
  }

  Buffer panels() {
    return panels;
  }

  /** Room for a block of at most {@code counts} counts and {@code depth} terms. */
  void allocate(Expr counts, Expr depth, Code code) {
    Expr padded = code.name(name + "_room", Expr.mul(panels(counts), Expr.of(width)));
    code.add(new Stmt.AllocateWorkspace(offsets, padded));
    code.add(new Stmt.AllocateWorkspace(targets, padded));
    code.add(new Stmt.AllocateWorkspace(gaps, panels(counts)));
    code.add(new Stmt.AllocateWorkspace(panels, Expr.mul(padded, depth)));
  }

  void free(Code code) {
    code.add(new Stmt.FreeWorkspace(panels));
    code.add(new Stmt.FreeWorkspace(gaps));
    code.add(new Stmt.FreeWorkspace(targets));
    code.add(new Stmt.FreeWorkspace(offsets));
  }

  /** How many panels {@code counts} counts fill. */
  Expr panels(Expr counts) {
    return Block.divideUp(counts, width);
  }

  /** Notes where counts [from, from + count) lie. */
  void locate(Expr from, Expr count, Code code) {
    Expr padded = code.name(name + "_padded", Expr.mul(panels(count), Expr.of(width)));
    group.fill(List.of(offsets, targets), from, count, padded, code);
    LoopVariable panel = LoopVariable.integer(code.fresh(name + "_at_panel"));
    Code each = code.nested();
    Expr apart =
        group.isUnit(RESULT)
            ? gaps(targets, Expr.mul(Expr.of(panel), Expr.of(width)), each)
            : Expr.of(width);
    each.add(new Stmt.Store(gaps, Expr.of(panel), apart));
    Expr all = panels(count);
    code.add(new Stmt.For(panel, Expr.of(0), all, each.block(), LoopTraits.SERIAL));
  }

  /** The place in the result of count {@code at} of the block. */
  Expr target(Expr at) {
    return new Expr.Load(targets, at);
  }

  /** Whether the counts of the panel from {@code at} on are neighbours in the result. */
  Expr isRowOfResult(Expr at) {
    Expr panel = Expr.binary(Expr.Op.DIV, at, Expr.of(width));
    return Expr.equal(new Expr.Load(gaps, panel), Expr.of(0));
  }

  /** How many counts of the panel from {@code first} on are not followed by their neighbour. */
  private Expr gaps(Buffer table, Expr first, Code code) {
    LoopVariable found = code.declare(name + "_apart", Expr.of(0));
    LoopVariable step = LoopVariable.integer(code.fresh(name + "_step"));
    Code each = code.nested();
    Expr at = Expr.add(first, Expr.of(step));
    Expr next = new Expr.Load(table, Expr.add(at, Expr.of(1)));
    Expr apart = new Expr.Not(Expr.equal(Expr.add(new Expr.Load(table, at), Expr.of(1)), next));
    each.assign(found, Expr.add(Expr.of(found), new Expr.Convert(apart, ScalarType.I64)));
    code.add(new Stmt.For(step, Expr.of(0), Expr.of(width - 1), each.block(), LoopTraits.SERIAL));
    return Expr.of(found);
  }

  /**
   * Packs panel {@code number}.
   *
   * @param origin where the batch begins in the operand
   * @param terms where the terms lie in the operand
   * @param depth how many terms there are
   */
  void pack(Expr number, Expr origin, Buffer terms, Expr depth, Code code) {
    Expr first = code.name(name + "_first", Expr.mul(number, Expr.of(width)));
    Expr panel = code.name(name + "_panel", Expr.mul(first, depth));
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
    LoopTraits traits = neighbours ? LoopTraits.VECTOR : LoopTraits.SERIAL;
    each.add(new Stmt.For(cell, Expr.of(0), Expr.of(width), inner.block(), traits));
    code.add(new Stmt.For(term, Expr.of(0), depth, each.block(), LoopTraits.SERIAL));
  }
}
