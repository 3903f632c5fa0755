package org.weft.engine;

import org.weft.tensor.DenseMatrix;

/** How dense operands, such as factor matrices, get to the processes that read them. */
public enum OperandFetch {
  /** By rows where an operand is large and there is more than one process. */
  AUTO,
  /** Every process gets every operand whole. */
  WHOLE,
  /** A process gets the blocks of rows that its partitions read. */
  ROWS;

  private static final int BLOCKS = 32;
  private static final long LARGE_BYTES = 8L << 20;

  /** Blocks that an operand is cut into. */
  public int blocks(DenseMatrix matrix, int processes) {
    long bytes = matrix.rows() * matrix.columns() * Double.BYTES;
    boolean byRows = this == ROWS || this == AUTO && processes > 1 && bytes >= LARGE_BYTES;
    return byRows ? (int) Math.max(1, Math.min(BLOCKS, matrix.rows())) : 1;
  }
}
