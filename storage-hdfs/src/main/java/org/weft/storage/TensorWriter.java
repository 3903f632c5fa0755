package org.weft.storage;

import java.io.Closeable;
import java.io.IOException;
import java.util.Iterator;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorStorage;

/**
 * Writes one tensor file from blocks of 0-based coordinates. Blocks are taken in the order in which
 * they come; callers pass them sorted, so that files are (the dense format requires it). The file
 * is complete after {@code close}, and published by the {@link OutputCommit} under it.
 */
public interface TensorWriter extends Closeable {
  /** Appends the entries of {@code block}. */
  void write(CooBlock block) throws IOException;

  /**
   * Appends all cells of neighbouring rows of a matrix: {@code values.length / columns} of them.
   *
   * @param firstRow of the matrix
   * @param values row by row
   */
  default void writeRows(long firstRow, int columns, double[] values) throws IOException {
    long[] row = new long[values.length];
    int[] column = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      row[i] = firstRow + i / columns;
      column[i] = i % columns;
    }
    write(CooBlock.ofColumns(new Object[] {row, column}, values, values.length));
  }

  /** Appends the stored entries of {@code tensor}, which is borrowed. */
  default void write(TensorStorage tensor) throws IOException {
    Iterator<CooBlock> blocks = Packing.unpackBlocks(tensor, 1 << 16);
    while (blocks.hasNext()) {
      write(blocks.next());
    }
  }

  /** Writes what remains; closing again does nothing. */
  @Override
  void close() throws IOException;
}
