package org.weft.decomposition;

import org.ejml.data.DMatrixRMaj;
import org.weft.tensor.DenseMatrix;

/** Gram matrices {@code A^T A: R x R} of factor matrices {@code A: I x R}, and their products. */
final class GramMatrix {
  private GramMatrix() {}

  /** {@code A^T A}; cost {@code O(I R^2)}. */
  static DMatrixRMaj of(DenseMatrix factor) {
    int rank = factor.columns();
    double[] sum = RowChunks.sum(factor, rank * rank, chunk -> upper(chunk, rank));
    for (int r = 0; r < rank; r++) {
      for (int s = 0; s < r; s++) {
        sum[r * rank + s] = sum[s * rank + r];
      }
    }
    return DMatrixRMaj.wrap(rank, rank, sum);
  }

  private static double[] upper(RowChunks.Chunk chunk, int rank) {
    double[] gram = new double[rank * rank];
    double[] a = chunk.array();
    for (int row = 0, at = chunk.offset(); row < chunk.rows(); row++, at += rank) {
      for (int r = 0; r < rank; r++) {
        double value = a[at + r];
        for (int s = r; s < rank; s++) {
          gram[r * rank + s] += value * a[at + s];
        }
      }
    }
    return gram;
  }

  /** The Hadamard product of all {@code grams} but that of {@code except} (-1: of all). */
  static DMatrixRMaj hadamard(DMatrixRMaj[] grams, int rank, int except) {
    DMatrixRMaj product = new DMatrixRMaj(rank, rank);
    product.fill(1);
    for (int mode = 0; mode < grams.length; mode++) {
      if (mode != except) {
        for (int i = 0; i < rank * rank; i++) {
          product.data[i] *= grams[mode].data[i];
        }
      }
    }
    return product;
  }
}
