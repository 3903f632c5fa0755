package org.weft.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.weft.decomposition.rows.RowSource;
import org.weft.storage.npy.NpyRows;
import org.weft.tensor.DenseMatrix;

/**
 * The rows of a NumPy file, which every process reads where it needs them, and random ones after
 * the last.
 *
 * @param count of rows, at least those of the file
 * @param seed of the others: {@link DenseMatrix#random}
 * @param scale of the others: they are in [0, scale)
 */
public record FileRows(NpyRows file, long count, long seed, double scale) implements RowSource {
  private static final int GAP_ROWS = 1 << 10;

  /** The rows of the file alone. */
  public static FileRows of(NpyRows file) {
    return new FileRows(file, file.rows(), 0, 0);
  }

  @Override
  public long rows() {
    return count;
  }

  @Override
  public int columns() {
    return file.columns();
  }

  /** A row costs less than to look for one in another place. */
  @Override
  public int gapRows() {
    return GAP_ROWS;
  }

  @Override
  public void forEach(long from, long to, Sink sink) {
    long known = Math.max(from, Math.min(to, file.rows()));
    if (from < known) {
      file.forEach(from, known, sink::row);
    }
    double[] random = new double[columns()];
    try {
      for (long row = known; row < to; row++) {
        DenseMatrix.randomRow(seed, row, random, 0, random.length);
        for (int r = 0; r < random.length; r++) {
          random[r] *= scale;
        }
        sink.row(row, random);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
