package org.weft.compiler.program.space;

import java.util.stream.IntStream;
import org.weft.compiler.lang.Program;
import org.weft.tensor.CooBlock;

/**
 * Neighbouring diagonals of a matrix, of which the entries are read.
 *
 * @param least row minus column of the first diagonal
 * @param most row minus column of the last one
 */
public record Diagonals(long least, long most) {
  /** Every diagonal. */
  public static final Diagonals ALL = new Diagonals(Long.MIN_VALUE, Long.MAX_VALUE);

  /** Those that {@code comet_read} names. */
  public static Diagonals of(Program.MatrixPart part) {
    return switch (part) {
      case ALL -> ALL;
      case STRICTLY_LOWER -> new Diagonals(1, Long.MAX_VALUE);
      case LOWER -> new Diagonals(0, Long.MAX_VALUE);
      case STRICTLY_UPPER -> new Diagonals(Long.MIN_VALUE, -1);
      case UPPER -> new Diagonals(Long.MIN_VALUE, 0);
    };
  }

  /** The entries of a matrix on these diagonals. */
  CooBlock of(CooBlock matrix) {
    return matrix.select(
        IntStream.range(0, matrix.size())
            .filter(e -> holds(matrix.coordinate(0, e) - matrix.coordinate(1, e)))
            .toArray());
  }

  private boolean holds(long diagonal) {
    return diagonal >= least && diagonal <= most;
  }
}
