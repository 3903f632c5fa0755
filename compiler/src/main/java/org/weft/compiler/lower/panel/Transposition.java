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
import org.weft.memory.ElementType;

/**
 * A copy of a dense tensor with its labels in another order, where the label whose values are
 * neighbours changes: {@code B(..,b) = A(..,a)}. It transposes matrices. Their columns count {@code
 * near}, the last labels of the result, and their rows {@code far}, the last labels of the operand;
 * each takes as many labels as the other leaves. So both tensors are walked along long rows even if
 * single labels are short.
 *
 * <pre>
 * parallel for parts of the tiles
 *   for tiles
 *     transpose the tile into a block     in registers; the second cache holds the block
 *     for rows of the block
 *       copy to the result
 * </pre>
 *
 * <p>A large result goes around the caches, as in HPTT (Springer et al. 2017), because memory would
 * otherwise read each line before it is written. Only whole lines go around them fast. Each row of
 * a tile therefore begins where a line does, and ends in the first line of the next tile.
 *
 * <p>Rows of the result that are shorter than a tile and follow each other are copied as one. Where
 * few tiles together read one piece of the operand, the next is prefetched ({@link OperandPieces}).
 *
 * @param near labels that are neighbours in the result, as it stores them
 * @param far labels that are neighbours in the operand, as it stores them
 * @param others the other labels, as the operand stores them
 */
public record Transposition(
    TensorExpr.Access target,
    TensorExpr.Access operand,
    List<IndexVar> near,
    List<IndexVar> far,
    List<IndexVar> others) {
  /** Bytes of a tile along the operand's neighbours. */
  private static final long ROW_BYTES = 1024;

  /** Lines of a tile along the result's neighbours. */
  private static final long LINES = 8;

  /**
   * The most lines of rows that are copied as one although they are no shorter than a tile, in
   * lines of a tile. Both ends of a row that is copied alone are parts of lines, which memory reads
   * before they are written.
   */
  private static final long JOINED = 8;

  /** Larger results do not fit the last cache of usual machines. */
  static final long STREAMED_BYTES = 24L << 20;

  /** Most lines of shorter rows belong to two rows. */
  private static final long STREAMED_LINES = 4;

  /** Tasks that the runtime makes of more work than any. */
  private static final Expr MOST_WORK = Expr.of(Integer.MAX_VALUE);

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
    List<IndexVar> result = Contraction.stored(target);
    List<IndexVar> stored = Contraction.stored(operand);
    if (result.get(result.size() - 1).equals(stored.get(stored.size() - 1))) {
      return Optional.empty();
    }
    int columns = 0;
    int rows = 0;
    boolean more = true;
    while (more) {
      boolean column = extendable(result, columns, stored, rows);
      columns += column ? 1 : 0;
      boolean row = extendable(stored, rows, result, columns);
      rows += row ? 1 : 0;
      more = column || row;
    }
    List<IndexVar> near = result.subList(result.size() - columns, result.size());
    List<IndexVar> far = stored.subList(stored.size() - rows, stored.size());
    List<IndexVar> others = new ArrayList<>(stored.subList(0, stored.size() - rows));
    others.removeAll(near);
    return Optional.of(
        new Transposition(
            target, operand, List.copyOf(near), List.copyOf(far), List.copyOf(others)));
  }

  /** Whether the label before the last {@code taken} ones is none of the other side's. */
  private static boolean extendable(
      List<IndexVar> labels, int taken, List<IndexVar> others, int otherTaken) {
    return taken < labels.size()
        && !others
            .subList(others.size() - Math.max(otherTaken, 1), others.size())
            .contains(labels.get(labels.size() - 1 - taken));
  }

  /** The labels of the columns and of the rows. */
  public List<IndexVar> labels() {
    List<IndexVar> labels = new ArrayList<>(far);
    labels.addAll(near);
    return labels;
  }

  /** Emits the loops. */
  public void emit(KernelTensors tensors, boolean parallel, Code code) {
    new Loops(this, tensors, code).emit(parallel);
  }

  /** The loops of one transposition. */
  private static final class Loops {
    private final Buffer result;
    private final Buffer values;
    private final LabelGroup outer;
    private final LabelGroup near;
    private final LabelGroup far;
    private final Code code;
    private final long line;
    private final long width;
    private final int side;

    /** Whether a row of the matrix follows the one before it in the result. */
    private final boolean adjoining;

    /** Whether rows of a tile are copied as one, if they are adjoining. */
    private final Expr joined;

    /** The longest rows that are joined. */
    private final long widest;

    private final OperandPieces pieces;

    /** Rows of a tile. */
    private final Expr height;

    /** Values from one row of the block to the next. */
    private final Expr pitch;

    /** A tile, row by row. */
    private final Buffer block;

    private final Buffer sources;
    private final Buffer places;

    Loops(Transposition statement, KernelTensors tensors, Code code) {
      TensorExpr.Access target = statement.target();
      TensorExpr.Access operand = statement.operand();
      this.result = tensors.layout(target.tensor()).vals();
      this.values = tensors.layout(operand.tensor()).vals();
      this.outer =
          LabelGroup.of("outer", statement.others(), List.of(target, operand), tensors, code);
      this.near = LabelGroup.of("near", statement.near(), List.of(operand), tensors, code);
      this.far = LabelGroup.of("far", statement.far(), List.of(target), tensors, code);
      this.code = code;
      ElementType element = result.element();
      this.line = Stmt.StreamLine.BYTES / element.bytes();
      this.width = LINES * line;
      this.side = Stmt.Turn.side(element);
      this.block = new Buffer(code.fresh("block"), element, Buffer.Kind.WORKSPACE);
      this.sources = new Buffer(code.fresh("sources"), ElementType.I64, Buffer.Kind.WORKSPACE);
      this.places = new Buffer(code.fresh("places"), ElementType.I64, Buffer.Kind.WORKSPACE);
      List<IndexVar> stored = Contraction.stored(target);
      int end = stored.size() - statement.near().size();
      int begin = end - statement.far().size();
      this.adjoining = begin >= 0 && stored.subList(begin, end).equals(statement.far());
      this.widest = JOINED * width;
      Expr isShort = Expr.binary(Expr.Op.LE, near.size(), Expr.of(width));
      Expr past = Expr.binary(Expr.Op.REM, near.size(), Expr.of(line));
      Expr crosses = Expr.lessThan(Expr.of(0), past);
      Expr most = new Expr.Select(crosses, Expr.of(widest), Expr.of(width));
      this.joined = Expr.binary(Expr.Op.LE, near.size(), code.name("most_joined", most));
      long rows = ROW_BYTES / element.bytes();
      Expr least = Expr.binary(Expr.Op.MAX, near.size(), Expr.of(1));
      Expr cells = new Expr.Select(isShort, Expr.of(rows * width), Expr.of(2 * rows * width));
      Expr tall = Expr.binary(Expr.Op.DIV, cells, least);
      this.height = code.name("height", joinedOr(tall, Expr.of(rows)));
      Expr strip = joinedOr(near.size(), Expr.min(near.size(), Expr.of(width)));
      this.pieces = new OperandPieces(statement, values, near.size(), strip, far.size(), code);
      this.pitch = code.name("pitch", joinedOr(near.size(), Expr.of(width + line)));
    }

    /** {@code joint} where rows are copied as one, else {@code apart}. */
    private Expr joinedOr(Expr joint, Expr apart) {
      return adjoining ? new Expr.Select(joined, joint, apart) : apart;
    }

    void emit(boolean parallel) {
      Expr streams = code.name("streams", streams());
      Expr across =
          code.name("near_tiles", joinedOr(Expr.of(1), Block.divideUp(near.size(), width)));
      Expr down = code.name("far_tiles", divideUp(far.size(), height));
      Expr tiles = code.name("tiles", Expr.mul(outer.size(), Expr.mul(across, down)));
      Expr share = parallel ? code.name("tasks", new Expr.Tasks(MOST_WORK)) : Expr.of(1);
      Expr parts = code.name("parts", Expr.min(tiles, share));
      LoopVariable part = LoopVariable.integer(code.fresh("part"));
      Code task = code.nested();
      Expr rows = Expr.min(far.size(), height);
      task.add(new Stmt.AllocateWorkspace(block, Expr.mul(rows, pitch)));
      task.add(new Stmt.AllocateWorkspace(sources, Expr.of(Math.max(widest, width + line))));
      long most = ROW_BYTES / result.element().bytes();
      task.add(new Stmt.AllocateWorkspace(places, Expr.of(most)));
      LoopVariable columnsFrom = task.declare("columns_from", Expr.of(-1));
      LoopVariable rowsFrom = task.declare("rows_from", Expr.of(-1));
      LoopVariable tile = LoopVariable.integer(task.fresh("tile"));
      Expr begin = Expr.binary(Expr.Op.DIV, Expr.mul(Expr.of(part), tiles), parts);
      Expr next = Expr.mul(Expr.add(Expr.of(part), Expr.of(1)), tiles);
      Expr end = Expr.binary(Expr.Op.DIV, next, parts);
      Expr strips = task.name("strips_end", Expr.binary(Expr.Op.DIV, end, down));
      Expr read = pieces.end(strips, across, width, task);
      Code each = task.nested();
      tile(Expr.of(tile), new Tiles(across, down, streams, read, columnsFrom, rowsFrom), each);
      task.add(new Stmt.For(tile, begin, end, each.block(), LoopTraits.SERIAL));
      task.when(streams, drained(task));
      task.add(new Stmt.FreeWorkspace(block));
      LoopTraits traits = parallel ? LoopTraits.PARALLEL : LoopTraits.SERIAL;
      code.add(new Stmt.For(part, Expr.of(0), parts, task.block(), traits));
    }

    private static Code drained(Code task) {
      Code drain = task.nested();
      drain.add(new Stmt.Drain());
      return drain;
    }

    /** Whether the result goes around the caches. */
    private Expr streams() {
      Expr cells = Expr.mul(outer.size(), Expr.mul(near.size(), far.size()));
      Expr large = Expr.lessThan(Expr.of(STREAMED_BYTES / result.element().bytes()), cells);
      Expr row = joinedOr(Expr.mul(near.size(), far.size()), near.size());
      return Expr.and(large, Expr.binary(Expr.Op.LE, Expr.of(STREAMED_LINES * line), row));
    }

    private static Expr divideUp(Expr value, Expr divisor) {
      return Expr.binary(Expr.Op.DIV, Expr.sub(Expr.add(value, divisor), Expr.of(1)), divisor);
    }

    /**
     * The tiles of a task.
     *
     * @param across tiles beside each other in a matrix
     * @param down tiles below each other
     * @param streams whether the result goes around the caches
     * @param read where the pieces of the operand end that the task reads
     * @param columnsFrom the first column whose place in the operand the table has; -1 for none
     * @param rowsFrom the first row whose place in the result the table has
     */
    private record Tiles(
        Expr across,
        Expr down,
        Expr streams,
        Expr read,
        LoopVariable columnsFrom,
        LoopVariable rowsFrom) {}

    /** Fills a table for the counts from {@code from} on unless it is theirs already. */
    private static void unlessSame(LoopVariable filled, Expr from, Code fill, Code tile) {
      fill.assign(filled, from);
      tile.when(new Expr.Not(Expr.equal(Expr.of(filled), from)), fill);
    }

    private void tile(Expr number, Tiles tiles, Code tile) {
      Expr strip = tile.name("strip", Expr.binary(Expr.Op.DIV, number, tiles.down()));
      Expr row = Expr.mul(Expr.sub(number, Expr.mul(strip, tiles.down())), height);
      Expr first = tile.name("far_from", row);
      Expr at = tile.name("outer_at", Expr.binary(Expr.Op.DIV, strip, tiles.across()));
      Expr column = Expr.mul(Expr.sub(strip, Expr.mul(at, tiles.across())), Expr.of(width));
      Expr from = tile.name("near_from", column);
      Expr to = tile.name("to", Expr.add(outer.offset(at, 0, tile), from));
      Expr source = tile.name("source", Expr.add(outer.offset(at, 1, tile), first));
      Expr room =
          Expr.add(Expr.of(width), new Expr.Select(tiles.streams(), Expr.of(line), Expr.of(0)));
      Expr apart = Expr.min(Expr.sub(near.size(), from), room);
      Expr columns = tile.name("columns", joinedOr(near.size(), apart));
      Expr rows = tile.name("rows", Expr.min(Expr.sub(far.size(), first), height));
      Code otherColumns = tile.nested();
      near.fill(List.of(sources), Expr.of(0), from, columns, columns, otherColumns);
      unlessSame(tiles.columnsFrom(), from, otherColumns, tile);
      Code otherRows = tile.nested();
      Expr copies = tile.name("copies", joinedOr(Expr.of(1), rows));
      far.fill(List.of(places), Expr.of(0), first, copies, copies, otherRows);
      unlessSame(tiles.rowsFrom(), first, otherRows, tile);
      Expr length = tile.name("length", joinedOr(Expr.mul(rows, columns), columns));
      Expr before = Expr.mul(first, columns);
      OperandPieces.Next next =
          pieces.next(at, from, before, source, length, copies, tiles.read(), tile);
      Expr ahead = Expr.and(tiles.streams(), next.exists());
      turn(source, rows, columns, tiles.streams(), ahead, next, tile);
      LoopVariable r = LoopVariable.integer(tile.fresh("r"));
      Code copy = tile.nested();
      Expr place = copy.name("place", Expr.add(to, new Expr.Load(places, Expr.of(r))));
      Expr read = copy.name("read", Expr.mul(Expr.of(r), pitch));
      Code around = copy.nested();
      streamRow(place, read, length, Expr.equal(from, Expr.of(0)), next.below(r), around);
      Code through = copy.nested();
      copyRow(place, read, length, through);
      copy.add(new Stmt.If(tiles.streams(), around.block(), through.block()));
      tile.add(new Stmt.For(r, Expr.of(0), copies, copy.block(), LoopTraits.SCALAR.withUnroll(1)));
    }

    /**
     * Fills the block with the tile whose first row of the operand begins at {@code source}. The
     * operand of a large result comes from memory: while columns are turned, the next ones are
     * prefetched, because they end before the processor sees where they lead. Columns of few lines
     * are not worth it, nor are those of a piece that the tiles before have prefetched.
     */
    private void turn(
        Expr source,
        Expr rows,
        Expr columns,
        Expr large,
        Expr inPieces,
        OperandPieces.Next nextPiece,
        Code tile) {
      Expr isLong = Expr.binary(Expr.Op.LE, Expr.of(STREAMED_LINES * line), rows);
      Expr prefetches = tile.name("prefetches", Expr.and(large, isLong));
      Expr square = Expr.binary(Expr.Op.LE, Expr.of(side), Expr.min(rows, columns));
      Expr turned = tile.name("turned", new Expr.Select(square, columns, Expr.of(0)));
      LoopVariable group = LoopVariable.integer(tile.fresh("group"));
      Code some = tile.nested();
      Expr column = some.name("column", begin(group, columns));
      List<Expr> reads = new ArrayList<>();
      for (int lane = 0; lane < side; lane++) {
        Expr offset = new Expr.Load(sources, Expr.add(column, Expr.of(lane)));
        reads.add(some.name("read", Expr.add(source, offset)));
      }
      Code fromCaches = some.nested();
      squares(reads, (number, row) -> List.of(), column, rows, fromCaches);
      Code fromMemory = some.nested();
      Expr last = fromMemory.name("last_column", Expr.sub(columns, Expr.of(1)));
      List<Expr> nextReads = new ArrayList<>();
      for (int lane = 0; lane < side; lane++) {
        Expr next = Expr.min(Expr.add(column, Expr.of(side + lane)), last);
        Expr read = Expr.add(source, new Expr.Load(sources, next));
        nextReads.add(fromMemory.name("next_read", read));
      }
      Ahead below = (number, row) -> nextReads.stream().map(r -> Expr.add(r, row)).toList();
      squares(reads, below, column, rows, fromMemory);
      Code alone = some.nested();
      alone.add(new Stmt.If(prefetches, fromMemory.block(), fromCaches.block()));
      if (pieces.exist()) {
        Code along = some.nested();
        Expr lines = pieces.group(nextPiece, group, rows, side, along);
        squares(reads, (number, row) -> pieces.lines(lines, number, side), column, rows, along);
        some.add(new Stmt.If(inPieces, along.block(), alone.block()));
      } else {
        some.addAll(alone);
      }
      Expr groups = Block.divideUp(turned, side);
      tile.add(new Stmt.For(group, Expr.of(0), groups, some.block(), LoopTraits.SERIAL));
      oneByOne(source, rows, turned, columns, tile);
    }

    /**
     * Where a square begins; the last one ends with the tile, and shares cells with the one before.
     */
    private Expr begin(LoopVariable number, Expr count) {
      return Expr.min(Expr.mul(Expr.of(number), Expr.of(side)), Expr.sub(count, Expr.of(side)));
    }

    /** What is prefetched while a square is turned, which begins at a row. */
    private interface Ahead {
      List<Expr> of(Expr square, Expr row);
    }

    /**
     * Turns columns that begin at {@code reads}, squares of {@link Stmt.Turn#side} rows at a time.
     */
    private void squares(List<Expr> reads, Ahead ahead, Expr column, Expr rows, Code code) {
      LoopVariable square = LoopVariable.integer(code.fresh("square"));
      Code body = code.nested();
      Expr row = body.name("row", begin(square, rows));
      for (Expr prefetched : ahead.of(Expr.of(square), row)) {
        body.add(new Stmt.Prefetch(values, prefetched, 1, 2));
      }
      Expr corner = body.name("corner", Expr.add(Expr.mul(row, pitch), column));
      List<Expr> lines = new ArrayList<>();
      for (int lane = 0; lane < side; lane++) {
        lines.add(Expr.add(corner, Expr.mul(Expr.of(lane), pitch)));
      }
      List<Expr> ends = reads.stream().map(read -> Expr.add(read, row)).toList();
      body.add(new Stmt.Turn(values, ends, block, lines));
      Expr squares = Block.divideUp(rows, side);
      code.add(new Stmt.For(square, Expr.of(0), squares, body.block(), LoopTraits.SERIAL));
    }

    private Expr whole(Expr count) {
      return Expr.mul(Expr.binary(Expr.Op.DIV, count, Expr.of(side)), Expr.of(side));
    }

    /** Moves the cells of columns of a tile that is too narrow or too low for a square. */
    private void oneByOne(Expr source, Expr rows, Expr fromColumn, Expr toColumn, Code tile) {
      LoopVariable column = LoopVariable.integer(tile.fresh("column"));
      Code each = tile.nested();
      Expr offset = new Expr.Load(sources, Expr.of(column));
      Expr start = each.name("start", Expr.add(source, offset));
      LoopVariable row = LoopVariable.integer(each.fresh("row"));
      Expr cell = Expr.add(Expr.mul(Expr.of(row), pitch), Expr.of(column));
      Expr value = new Expr.Load(values, Expr.add(start, Expr.of(row)));
      Stmt.Block move = Stmt.Block.of(new Stmt.Store(block, cell, value));
      each.add(new Stmt.For(row, Expr.of(0), rows, move, LoopTraits.SCALAR));
      tile.add(new Stmt.For(column, fromColumn, toColumn, each.block(), LoopTraits.SCALAR));
    }

    /** Copies a row of the block through the caches. */
    private void copyRow(Expr place, Expr read, Expr length, Code copy) {
      LoopVariable group = LoopVariable.integer(copy.fresh("group"));
      Code some = copy.nested();
      Expr first = Expr.mul(Expr.of(group), Expr.of(side));
      Expr to = some.name("cells_to", Expr.add(place, first));
      Expr from = some.name("cells_from", Expr.add(read, first));
      LoopVariable lane = LoopVariable.integer(some.fresh("lane"));
      Expr value = new Expr.Load(block, Expr.add(from, Expr.of(lane)));
      Stmt store = new Stmt.Store(result, Expr.add(to, Expr.of(lane)), value);
      Stmt.Block move = Stmt.Block.of(store);
      some.add(new Stmt.For(lane, Expr.of(0), Expr.of(side), move, LoopTraits.VECTOR));
      Expr groups = Expr.binary(Expr.Op.DIV, length, Expr.of(side));
      copy.add(new Stmt.For(group, Expr.of(0), groups, some.block(), LoopTraits.SERIAL));
      cells(place, read, whole(length), length, copy);
    }

    /** Copies a row of the block, whole lines of the result around the caches. */
    private void streamRow(
        Expr place, Expr read, Expr length, Expr isFirst, OperandPieces.Next next, Code copy) {
      Expr lead = copy.name("lead", new Expr.ToLine(result, place));
      Expr end =
          copy.name("end", Expr.min(length, joinedOr(length, Expr.add(lead, Expr.of(width)))));
      Expr between = Expr.binary(Expr.Op.MAX, Expr.sub(end, lead), Expr.of(0));
      Expr lines = copy.name("lines", Expr.binary(Expr.Op.DIV, between, Expr.of(line)));
      Expr before = new Expr.Select(isFirst, Expr.min(lead, length), Expr.of(0));
      cells(place, read, Expr.of(0), before, copy);
      LoopVariable number = LoopVariable.integer(copy.fresh("line"));
      Code each = copy.nested();
      Expr start = Expr.add(lead, Expr.mul(Expr.of(number), Expr.of(line)));
      Expr cell = each.name("cell", start);
      pieces.written(next, number, each);
      each.add(new Stmt.StreamLine(block, Expr.add(read, cell), result, Expr.add(place, cell)));
      copy.add(new Stmt.For(number, Expr.of(0), lines, each.block(), LoopTraits.SERIAL));
      cells(place, read, Expr.add(lead, Expr.mul(lines, Expr.of(line))), end, copy);
    }

    private void cells(Expr place, Expr read, Expr from, Expr to, Code copy) {
      LoopVariable cell = LoopVariable.integer(copy.fresh("cell"));
      Expr value = new Expr.Load(block, Expr.add(read, Expr.of(cell)));
      Stmt store = new Stmt.Store(result, Expr.add(place, Expr.of(cell)), value);
      LoopTraits traits = LoopTraits.SCALAR.withUnroll(1);
      copy.add(new Stmt.For(cell, from, to, Stmt.Block.of(store), traits));
    }
  }
}
