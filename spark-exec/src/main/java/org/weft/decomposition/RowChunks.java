package org.weft.decomposition;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.weft.tensor.DenseMatrix;

/**
 * Work on a tall matrix by chunks of rows, on the driver's cores. The chunks depend on the shape
 * only and results are combined in their order, so that sums have the same bits on any machine.
 */
final class RowChunks {
  private static final int ROWS = 4096;

  private RowChunks() {}

  /** Rows {@code [first, first + rows)} of a matrix, which start at {@code array[offset]}. */
  record Chunk(double[] array, int offset, long first, int rows) {}

  static List<Chunk> of(DenseMatrix matrix) {
    List<Chunk> chunks = new ArrayList<>();
    for (int c = 0; c < matrix.chunkCount(); c++) {
      double[] array = matrix.chunk(c);
      int rows = matrix.columns() == 0 ? 0 : array.length / matrix.columns();
      for (int row = 0; row < rows; row += ROWS) {
        chunks.add(
            new Chunk(
                array,
                row * matrix.columns(),
                (long) c * matrix.chunkRows() + row,
                Math.min(ROWS, rows - row)));
      }
    }
    return chunks;
  }

  /** The sum of {@code partial} over the chunks, in their order. */
  static double[] sum(DenseMatrix matrix, int length, Function<Chunk, double[]> partial) {
    List<Chunk> chunks = of(matrix);
    double[][] partials = new double[chunks.size()][];
    each(chunks, c -> partials[c] = partial.apply(chunks.get(c)));
    double[] total = new double[length];
    for (double[] part : partials) {
      for (int i = 0; i < length; i++) {
        total[i] += part[i];
      }
    }
    return total;
  }

  /** Runs {@code work} for every chunk number; work on different chunks must be independent. */
  static void each(List<Chunk> chunks, java.util.function.IntConsumer work) {
    IntStream numbers = IntStream.range(0, chunks.size());
    (chunks.size() > 1 ? numbers.parallel() : numbers).forEach(work);
  }
}
