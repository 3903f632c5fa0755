package org.weft.decomposition;

import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.EigenDecomposition_F64;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Orthonormal bases of tall matrices of one mode, in double precision. What is tall is in {@link
 * TallMatrices}; what has as many rows as columns is here.
 */
final class Basis {
  /** Most columns of a matrix whose Gram matrix is decomposed; wider ones are sampled. */
  static final int GRAM_COLUMNS = 512;

  private static final int OVERSAMPLING = 8; // Halko, Martinsson and Tropp 2011, section 4.2
  private static final int POWERS = 2;
  private static final int MOST_ROUNDS = 30;
  private static final double VANISHED = 1e-24; // squared, relative to the longest column
  private static final double NOISE = 1e-15; // of eigenvalues, where columns have norm 1

  private final RowProducts products;
  private final TallMatrices tall;
  private final int mode;
  private final long seed;

  /**
   * @param seed of the start, of samples, and of columns that complete a basis
   */
  Basis(RowProducts products, int mode, long seed) {
    this.products = products;
    this.tall = new TallMatrices(products);
    this.mode = mode;
    this.seed = seed;
  }

  /** Columns of the widest matrix of doubles that a basis of {@code rank} columns takes. */
  static int width(long rows, long columns, int rank) {
    return columns <= GRAM_COLUMNS ? rank : (int) Math.min(rows, (long) rank + OVERSAMPLING);
  }

  /** Columns drawn from the seed. */
  TensorStorage random(int rank) {
    TensorShape shape = TensorShape.of(products.shape().size(mode), rank);
    TensorStorage a = TensorStorage.dense(products.scope(), shape, ValueType.DOUBLE);
    for (int c = 0; c < rank; c++) {
      fill(a, c, seed + c, 1);
    }
    return orthonormal(a);
  }

  /**
   * The {@code rank} leading left singular vectors of Y, by decreasing singular value: by the eigen
   * decomposition of {@code Y^T Y}, or where Y is wide from a sample of its range with two steps of
   * subspace iteration (Halko, Martinsson and Tropp 2011, algorithms 4.4 and 5.1). Vectors of
   * singular values below 1e-12 of the largest are any that complete a basis.
   *
   * @param y rows x columns
   * @param sweep for messages, counts from 1
   * @return a matrix that the caller closes
   */
  TensorStorage leading(TensorStorage y, int rank, int sweep) {
    int columns = Math.toIntExact(y.shape().size(1));
    if (columns <= GRAM_COLUMNS) {
      DMatrixRMaj gram = finite(tall.gram(y), sweep);
      return orthonormal(tall.times(y, eigenvectors(gram, rank)));
    }
    int width = width(y.shape().size(0), columns, rank);
    Random random = new Random(seed + sweep);
    DMatrixRMaj right = new DMatrixRMaj(columns, width);
    right.setData(random.doubles((long) columns * width, -1, 1).toArray());
    for (int power = 0; ; power++) {
      TensorStorage a = orthonormal(tall.times(y, right));
      DMatrixRMaj core = finite(tall.cross(a, y), sweep);
      if (power == POWERS) {
        DMatrixRMaj gram = new DMatrixRMaj(width, width);
        CommonOps_DDRM.multTransB(core, core, gram);
        return orthonormal(replaced(a, eigenvectors(gram, rank)));
      }
      a.close();
      CommonOps_DDRM.transpose(core, right);
    }
  }

  /** {@code A P} in the place of A, which is closed. */
  private TensorStorage replaced(TensorStorage a, DMatrixRMaj p) {
    try (a) {
      return tall.times(a, p);
    }
  }

  /**
   * Columns near those of A, which is closed: {@code A (A^T A)^(-1/2)}, the orthonormal columns
   * that differ least, again and again until rounding is all that is left.
   */
  private TensorStorage orthonormal(TensorStorage columns) {
    TensorStorage a = columns;
    for (int round = 1; round <= MOST_ROUNDS; round++) {
      DMatrixRMaj gram = tall.gram(a);
      if (isIdentity(gram)) {
        return a;
      }
      if (!completed(a, gram, round)) {
        a = replaced(a, inverseRoot(gram));
      }
    }
    throw new IllegalStateException(
        "columns of mode " + mode + " are not orthonormal after " + MOST_ROUNDS + " rounds");
  }

  private static boolean isIdentity(DMatrixRMaj gram) {
    double tolerance = 4 * Math.ulp(1.0) * gram.numRows + 1e-14;
    for (int r = 0; r < gram.numRows; r++) {
      for (int c = 0; c < gram.numCols; c++) {
        if (!(Math.abs(gram.get(r, c) - (r == c ? 1 : 0)) <= tolerance)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Draws columns that vanished anew, if there are any. */
  private boolean completed(TensorStorage a, DMatrixRMaj gram, int round) {
    double longest = CommonOps_DDRM.elementMax(gram);
    boolean any = false;
    for (int c = 0; c < gram.numCols; c++) {
      if (!(gram.get(c, c) > longest * VANISHED)) {
        fill(a, c, seed + 1009L * round + c, longest > 0 ? Math.sqrt(longest) : 1);
        any = true;
      }
    }
    return any;
  }

  private void fill(TensorStorage a, int column, long columnSeed, double scale) {
    DenseMatrix numbers = products.uniform(mode, 1, columnSeed);
    long columns = a.shape().size(1);
    for (long i = 0; i < numbers.rows(); i++) {
      a.vals().setDouble(i * columns + column, scale * (numbers.get(i, 0) - 0.5));
    }
  }

  /** {@code D (D G D)^(-1/2)} for the diagonal D that makes that of {@code D G D} one. */
  private static DMatrixRMaj inverseRoot(DMatrixRMaj gram) {
    int columns = gram.numCols;
    DMatrixRMaj scaled = gram.copy();
    double[] norms = new double[columns];
    for (int c = 0; c < columns; c++) {
      norms[c] = Math.sqrt(gram.get(c, c));
    }
    CommonOps_DDRM.divideRows(norms, scaled);
    CommonOps_DDRM.divideCols(scaled, norms);
    EigenDecomposition_F64<DMatrixRMaj> eigen = eigen(scaled);
    DMatrixRMaj root = new DMatrixRMaj(columns, columns);
    for (int e = 0; e < columns; e++) {
      double value = Math.max(eigen.getEigenvalue(e).getReal(), NOISE);
      DMatrixRMaj vector = eigen.getEigenVector(e);
      CommonOps_DDRM.multAddTransB(1 / Math.sqrt(value), vector, vector, root);
    }
    CommonOps_DDRM.divideRows(norms, root);
    return root;
  }

  private static EigenDecomposition_F64<DMatrixRMaj> eigen(DMatrixRMaj symmetric) {
    EigenDecomposition_F64<DMatrixRMaj> eigen =
        DecompositionFactory_DDRM.eig(symmetric.numRows, true, true);
    if (!eigen.decompose(symmetric.copy())) {
      throw new IllegalStateException("no eigenvalues of a symmetric matrix: " + symmetric);
    }
    return eigen;
  }

  /** Eigenvectors of the largest eigenvalues, as columns. */
  private static DMatrixRMaj eigenvectors(DMatrixRMaj gram, int count) {
    EigenDecomposition_F64<DMatrixRMaj> eigen = eigen(gram);
    List<Integer> largest =
        IntStream.range(0, gram.numRows)
            .boxed()
            .sorted(Comparator.comparingDouble((Integer e) -> -eigen.getEigenvalue(e).getReal()))
            .limit(count)
            .toList();
    DMatrixRMaj vectors = new DMatrixRMaj(gram.numRows, count);
    for (int c = 0; c < count; c++) {
      CommonOps_DDRM.insert(eigen.getEigenVector(largest.get(c)), vectors, 0, c);
    }
    return vectors;
  }

  private DMatrixRMaj finite(DMatrixRMaj matrix, int sweep) {
    for (double value : matrix.data) {
      if (!Double.isFinite(value)) {
        throw new WeftException(
            ErrorCode.NONFINITE_VALUE,
            "mode "
                + mode
                + ", iteration "
                + sweep
                + ": expected finite products of the tensor with the factors, found "
                + value
                + "; leave out values that are not finite, and divide the others by one number");
      }
    }
    return matrix;
  }
}
