package org.weft.jobs.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.EigenDecomposition_F64;
import org.ejml.interfaces.decomposition.SingularValueDecomposition_F64;
import org.weft.spark.model.ModelValue;
import org.weft.tensor.DenseMatrix;

/**
 * Compares two Tucker models, with cores G and H and factors A and B. A rotation of a factor's
 * columns that is undone in the core gives the same model, so columns are not compared. The
 * principal angles between the spans of the columns (Bjorck and Golub 1973) are compared instead:
 *
 * <pre>
 * cosines of a mode = singular values of (A' A)^(-1/2) A' B (B' B)^(-1/2) = U S V'
 * drift of a mode   = 1 - sum of the cosines / max(rank of A, rank of B)
 * drift             = 1 - (M . N) / max(|M|^2, |N|^2), M and N the models at all cells
 * </pre>
 *
 * {@code Q = U V'}, in orthonormal columns of the same spans, is the rotation that aligns the
 * factors of a mode best (Schoenemann 1966). The change of a row is the distance of its slices,
 * where the factors of all other modes are aligned and taken as equal. Cost: O(rows R S) for each
 * mode.
 */
record SubspaceComparison(LabelledModel first, LabelledModel second, List<RowPairs> pairs) {
  /**
   * The cosines of principal angles, rising, and the best rotation.
   *
   * @param rank of the larger span
   */
  @SuppressWarnings("ArrayRecordComponent")
  private record Aligned(double[] cosines, int rank, double[][] rotation) {
    static Aligned of(double[][] products, Roots own, Roots other) {
      DMatrixRMaj matrix = product(own.inverse(), new DMatrixRMaj(products), other.inverse());
      SingularValueDecomposition_F64<DMatrixRMaj> svd =
          DecompositionFactory_DDRM.svd(matrix.numRows, matrix.numCols, true, true, true);
      if (!svd.decompose(matrix)) {
        throw new IllegalStateException("the products of the factors have no singular values");
      }
      double[] values = Arrays.copyOf(svd.getSingularValues(), svd.numberOfSingularValues());
      Arrays.sort(values);
      int angles = Math.min(own.rank(), other.rank());
      double[] cosines = Arrays.copyOfRange(values, values.length - angles, values.length);
      DMatrixRMaj rotation = new DMatrixRMaj(matrix.numRows, matrix.numCols);
      CommonOps_DDRM.mult(svd.getU(null, false), svd.getV(null, true), rotation);
      rotation = product(own.root(), rotation, other.root());
      double[][] rows = new double[matrix.numRows][matrix.numCols];
      for (int r = 0; r < rows.length; r++) {
        for (int s = 0; s < rows[r].length; s++) {
          rows[r][s] = rotation.get(r, s);
        }
      }
      for (int n = 0; n < cosines.length; n++) {
        cosines[n] = Math.min(1, cosines[n]);
      }
      return new Aligned(cosines, Math.max(own.rank(), other.rank()), rows);
    }

    double drift() {
      return rank == 0 ? 0 : 1 - Arrays.stream(cosines).sum() / rank;
    }

    List<Double> angles() {
      List<Double> angles = new ArrayList<>();
      for (int n = cosines.length - 1; n >= 0; n--) {
        angles.add(Math.toDegrees(Math.acos(cosines[n])));
      }
      return angles;
    }
  }

  private static DMatrixRMaj product(DMatrixRMaj a, DMatrixRMaj b, DMatrixRMaj c) {
    DMatrixRMaj left = new DMatrixRMaj(a.numRows, b.numCols);
    DMatrixRMaj all = new DMatrixRMaj(a.numRows, c.numCols);
    CommonOps_DDRM.mult(a, b, left);
    CommonOps_DDRM.mult(left, c, all);
    return all;
  }

  /** {@code G^(1/2)} and its inverse on the range of a Gram matrix G. */
  private record Roots(int rank, DMatrixRMaj root, DMatrixRMaj inverse) {
    private static final double NOISE = 1e-13;

    static Roots of(double[][] gram) {
      int columns = gram.length;
      EigenDecomposition_F64<DMatrixRMaj> eigen =
          DecompositionFactory_DDRM.eig(columns, true, true);
      if (!eigen.decompose(new DMatrixRMaj(gram))) {
        throw new IllegalStateException("the columns of a factor have no eigenvalues");
      }
      double most = 0;
      for (int e = 0; e < columns; e++) {
        most = Math.max(most, eigen.getEigenvalue(e).getReal());
      }
      DMatrixRMaj root = new DMatrixRMaj(columns, columns);
      DMatrixRMaj inverse = new DMatrixRMaj(columns, columns);
      int rank = 0;
      for (int e = 0; e < columns; e++) {
        double value = eigen.getEigenvalue(e).getReal();
        if (value > NOISE * most) {
          rank++;
          DMatrixRMaj vector = eigen.getEigenVector(e);
          CommonOps_DDRM.multAddTransB(Math.sqrt(value), vector, vector, root);
          CommonOps_DDRM.multAddTransB(1 / Math.sqrt(value), vector, vector, inverse);
        }
      }
      return new Roots(rank, root, inverse);
    }
  }

  ModelComparison of(int count) {
    List<double[][]> products = pairs.stream().map(RowPairs::products).toList();
    List<double[][]> grams = first.model().grams();
    List<double[][]> otherGrams = second.model().grams();
    ModelValue own = first.value();
    ModelValue other = second.value();
    double drift =
        1
            - ModelComparison.likeness(
                sum(own.slices(0, other, products), products.get(0)),
                sum(own.slices(0, own, grams), grams.get(0)),
                sum(other.slices(0, other, otherGrams), otherGrams.get(0)));
    List<Aligned> aligned =
        IntStream.range(0, products.size())
            .mapToObj(
                n ->
                    Aligned.of(
                        products.get(n), Roots.of(grams.get(n)), Roots.of(otherGrams.get(n))))
            .toList();
    List<double[][]> rotations = aligned.stream().map(Aligned::rotation).toList();
    List<ModelComparison.ModeDrift> modes = new ArrayList<>();
    List<ModelComparison.Change> changes = new ArrayList<>();
    for (RowPairs mode : pairs) {
      int n = mode.mode();
      Aligned ofMode = aligned.get(n);
      modes.add(mode.drift(ofMode.drift(), ofMode.angles()));
      double[][] here = own.slices(n, own, grams);
      double[][] there = other.slices(n, other, otherGrams);
      double[][] both = own.slices(n, other, rotations);
      changes.addAll(
          mode.changes(
              count,
              (row, pair) -> {
                double[] a = row(first.factor(n), row);
                double[] b = row(second.factor(n), pair);
                double before = form(a, here, a);
                double after = form(b, there, b);
                double distance = Math.max(0, before + after - 2 * form(a, both, b));
                return new double[] {Math.sqrt(distance), root(before), root(after)};
              }));
    }
    return new ModelComparison(List.of(), drift, modes, changes, java.util.Optional.empty());
  }

  private static double root(double square) {
    return Math.sqrt(Math.max(0, square));
  }

  /** Zeros for a row that is not there. */
  private static double[] row(DenseMatrix factor, long at) {
    double[] row = new double[factor.columns()];
    if (at >= 0) {
      factor.copyRow(at, row, 0);
    }
    return row;
  }

  private static double form(double[] a, double[][] matrix, double[] b) {
    double sum = 0;
    for (int r = 0; r < a.length; r++) {
      for (int s = 0; s < b.length; s++) {
        sum += a[r] * matrix[r][s] * b[s];
      }
    }
    return sum;
  }

  /** The sum of the products of two matrices' numbers. */
  private static double sum(double[][] a, double[][] b) {
    double sum = 0;
    for (int r = 0; r < a.length; r++) {
      for (int s = 0; s < a[r].length; s++) {
        sum += a[r][s] * b[r][s];
      }
    }
    return sum;
  }
}
