package org.weft.compiler.lower.panel;

import java.util.List;
import java.util.stream.LongStream;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Block;

/**
 * The pieces of the operand of a {@link Transposition}: cells without gaps that few tiles together
 * read. While a piece is turned and written, the next one is prefetched from its begin to its end,
 * a line for two: half of it by the squares that are turned, half by the lines that are written. So
 * memory reads and writes at once, and its prefetchers see one long row.
 *
 * <p>A piece is a strip of tiles below each other if the operand stores the columns one after the
 * other, else a matrix.
 */
final class OperandPieces {
  /** The largest piece: the second cache holds it beside a block. */
  private static final long MOST_BYTES = 384L << 10;

  private static final Expr NONE = Expr.of(0);

  private final boolean exist;
  private final Buffer values;
  private final Expr far;
  private final long line;
  private final Expr matrix;
  private final Expr piece;

  /**
   * @param near columns of a matrix
   * @param strip columns of a tile
   * @param far rows of a matrix
   */
  OperandPieces(
      Transposition statement, Buffer values, Expr near, Expr strip, Expr far, Code code) {
    List<IndexVar> stored = Contraction.stored(statement.operand());
    int end = stored.size() - statement.far().size();
    List<IndexVar> above = stored.subList(end - statement.near().size(), end);
    this.exist = above.containsAll(statement.near());
    this.values = values;
    this.far = far;
    this.line = Stmt.StreamLine.BYTES / values.element().bytes();
    boolean inOrder = above.equals(statement.near());
    this.matrix = exist ? code.name("matrix", Expr.mul(near, far)) : NONE;
    this.piece = inOrder ? code.name("piece", Expr.mul(strip, far)) : matrix;
  }

  /** Whether the labels of a matrix are the last ones of the operand. */
  boolean exist() {
    return exist;
  }

  /**
   * Where the pieces of a task end; 0 if they are too large to be prefetched.
   *
   * @param strips how many strips the task and those before it have
   * @param across strips of a matrix
   * @param width columns of a strip
   */
  Expr end(Expr strips, Expr across, long width, Code task) {
    if (!exist) {
      return NONE;
    }
    Expr small = Expr.binary(Expr.Op.LE, piece, Expr.of(MOST_BYTES / values.element().bytes()));
    Expr columns = Expr.mul(Expr.binary(Expr.Op.REM, strips, across), Expr.of(width));
    Expr whole = Expr.mul(Expr.binary(Expr.Op.DIV, strips, across), matrix);
    Expr end = Expr.add(whole, Expr.mul(columns, far));
    return task.name("pieces_end", new Expr.Select(small, end, NONE));
  }

  /**
   * What is prefetched while a tile is turned and written.
   *
   * @param number the matrix
   * @param column the first column of the tile
   * @param before cells above the tile in its strip
   * @param source where the tile begins
   * @param length cells of a row that is copied
   * @param rows how many are copied
   * @param end where the pieces end
   */
  Next next(
      Expr number,
      Expr column,
      Expr before,
      Expr source,
      Expr length,
      Expr rows,
      Expr end,
      Code tile) {
    if (!exist) {
      return new Next(Expr.lessThan(NONE, NONE), NONE, NONE, NONE, NONE);
    }
    Expr first = Expr.add(Expr.mul(number, matrix), Expr.mul(column, far));
    Expr ahead = tile.name("ahead", Expr.add(Expr.add(first, before), piece));
    Expr exists = tile.name("has_next", Expr.lessThan(ahead, end));
    Expr half = Expr.binary(Expr.Op.DIV, length, Expr.of(2));
    Expr row = tile.name("ahead_row", new Expr.Select(exists, half, NONE));
    Expr step = tile.name("ahead_line", new Expr.Select(exists, Expr.of(line / 2), NONE));
    Expr turned = Expr.add(ahead, Expr.mul(rows, row));
    Expr written = tile.name("ahead_written", new Expr.Select(exists, turned, source));
    return new Next(exists, ahead, written, row, step);
  }

  /**
   * What is prefetched while a tile is turned and written.
   *
   * @param exists whether there is a next piece; without one, a line at hand is prefetched
   * @param turned the place for the first square
   * @param written the place for the first line
   * @param row cells from the place for one copied row to that for the next
   * @param step cells from the place for one line to that for the next
   */
  record Next(Expr exists, Expr turned, Expr written, Expr row, Expr step) {
    /** The next piece for the rows from {@code number} on. */
    Next below(LoopVariable number) {
      Expr place = Expr.add(written, Expr.mul(Expr.of(number), row));
      return new Next(exists, turned, place, row, step);
    }
  }

  /** Where the squares of a group begin to prefetch. */
  Expr group(Next next, LoopVariable group, Expr rows, int side, Code code) {
    Expr squares = Expr.mul(Expr.of(group), Block.divideUp(rows, side));
    return code.name("ahead_group", Expr.add(next.turned(), Expr.mul(squares, cells(side))));
  }

  /** The lines that a square prefetches. */
  List<Expr> lines(Expr group, Expr square, int side) {
    Expr first = Expr.add(group, Expr.mul(square, cells(side)));
    return LongStream.iterate(0, at -> at < (long) side * side / 2, at -> at + line)
        .mapToObj(at -> Expr.add(first, Expr.of(at)))
        .toList();
  }

  private static Expr cells(int side) {
    return Expr.of((long) side * side / 2);
  }

  /** Prefetches for a line of a row that is written. */
  void written(Next next, LoopVariable number, Code code) {
    if (exist) {
      Expr place = Expr.add(next.written(), Expr.mul(Expr.of(number), next.step()));
      code.add(new Stmt.Prefetch(values, place, 1, 2));
    }
  }
}
