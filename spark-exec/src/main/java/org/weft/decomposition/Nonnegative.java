package org.weft.decomposition;

import java.util.List;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorStorage;

/**
 * One HALS update of a nonnegative factor (Cichocki and Phan 2009, algorithm 2): for each component
 * in turn, {@code a_r <- max(0, a_r + (m_r - A v_r) / v_rr)}, the exact minimiser over that column
 * with the others fixed. Rows are independent of each other.
 */
final class Nonnegative {
  /** Instead of 0 where there is data, so that a component that loses all of it can come back. */
  private static final double FLOOR = 1e-16;

  private static final int CHUNK_ROWS = 1024;

  private Nonnegative() {}

  /**
   * @param factor {@code A: I x R} with unit columns; replaced by the update
   * @param lambda the columns' weights, multiplied into A first
   * @param m the MTTKRP, {@code I x R}
   * @param v Hadamard product of the other modes' Gram matrices
   */
  static void update(DenseMatrix factor, double[] lambda, DenseMatrix m, DMatrixRMaj v) {
    int rank = factor.columns();
    List<RowChunks.Chunk> chunks = RowChunks.of(factor);
    RowChunks.each(
        chunks,
        c -> {
          RowChunks.Chunk chunk = chunks.get(c);
          double[] right = new double[rank];
          for (int row = 0; row < chunk.rows(); row++) {
            m.copyRow(chunk.first() + row, right, 0);
            updateRow(chunk.array(), chunk.offset() + row * rank, lambda, right, v);
          }
        });
  }

  /**
   * As above off the heap, in place, by chunks of rows that fit a cache.
   *
   * @param weights of the columns of {@code factor}, multiplied into A first
   * @param m the MTTKRP of factors of which column r was divided by {@code others[r]}
   */
  static void update(
      TensorStorage factor, double[] weights, TensorStorage m, double[] others, DMatrixRMaj v) {
    int rank = weights.length;
    long rows = factor.shape().size(0);
    int chunks = Math.toIntExact((rows + CHUNK_ROWS - 1) / CHUNK_ROWS);
    IntStream.range(0, chunks)
        .parallel()
        .forEach(
            chunk -> {
              double[] a = new double[rank];
              double[] right = new double[rank];
              long end = Math.min(rows, (chunk + 1L) * CHUNK_ROWS);
              for (long row = (long) chunk * CHUNK_ROWS; row < end; row++) {
                for (int r = 0; r < rank; r++) {
                  a[r] = factor.vals().getDouble(row * rank + r);
                  right[r] = m.vals().getDouble(row * rank + r) * others[r];
                }
                updateRow(a, 0, weights, right, v);
                for (int r = 0; r < rank; r++) {
                  factor.vals().setDouble(row * rank + r, a[r]);
                }
              }
            });
  }

  private static void updateRow(double[] a, int at, double[] lambda, double[] m, DMatrixRMaj v) {
    int rank = lambda.length;
    for (int r = 0; r < rank; r++) {
      a[at + r] *= lambda[r];
    }
    for (int r = 0; r < rank; r++) {
      double diagonal = v.get(r, r);
      if (diagonal > 0) {
        double product = 0;
        for (int s = 0; s < rank; s++) {
          product += a[at + s] * v.get(s, r);
        }
        double floor = m[r] > 0 ? FLOOR : 0;
        a[at + r] = Math.max(floor, a[at + r] + (m[r] - product) / diagonal);
      }
    }
  }
}
