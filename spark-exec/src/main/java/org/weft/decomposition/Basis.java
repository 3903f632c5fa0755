package org.weft.decomposition;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.EigenDecomposition_F64;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.decomposition.rows.Sums;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.ValueType;

/**
 * Orthonormal bases of tall matrices of one mode, in double precision. This class works on the
 * small matrices, which have as many rows as columns. The {@link Site} works on the tall matrices.
 */
final class Basis {
  /**
   * Up to this number of columns of Y the Gram matrix of Y is decomposed. The range of a wider
   * matrix is sampled.
   */
  static final int GRAM_COLUMNS = 512;

  private static final int OVERSAMPLING = 8; // Halko, Martinsson and Tropp 2011, section 4.2
  private static final int POWERS = 2;
  private static final int MOST_ROUNDS = 30;
  private static final double VANISHED = 1e-24; // squared, relative to the longest column
  private static final double DEPENDENT = 1e-10; // squared, relative to the column itself
  private static final int STUCK = 8; // rounds; directions that only rounding has made take 5
  private static final double NOISE = 1e-15; // of eigenvalues, where columns have norm 1
  private static final long MODE_SEED = 0xD1B54A32D192ED03L;

  private final Site site;
  private final int mode;
  private final long seed;
  private final RowAlgebra bases = new RowAlgebra(ValueType.DOUBLE, ValueType.DOUBLE, 0);
  private final RowAlgebra products;

  /**
   * Bases of matrices of one mode.
   *
   * @param type type of the products Y
   * @param seed of all modes: of starts, samples of a range, and columns that complete a basis
   */
  Basis(Site site, int mode, ValueType type, long seed) {
    this.site = site;
    this.mode = mode;
    this.seed = seed + mode * MODE_SEED;
    this.products = new RowAlgebra(ValueType.DOUBLE, type, 0);
  }

  /** The kernels of bases of products Y of a type. */
  static List<KernelRequest> algebra(ValueType type) {
    RowAlgebra mixed = new RowAlgebra(ValueType.DOUBLE, type, 0);
    RowAlgebra bases = new RowAlgebra(ValueType.DOUBLE, ValueType.DOUBLE, 0);
    return Stream.of(
            mixed.product(),
            mixed.cross(),
            new RowAlgebra(type, type, 0).gram(),
            bases.product(),
            bases.gram(),
            new RowAlgebra(type, ValueType.DOUBLE, 0).copy())
        .distinct()
        .toList();
  }

  /**
   * How many columns the widest matrix of doubles has while a basis of {@code rank} columns is
   * made.
   */
  static int width(long rows, long columns, int rank) {
    return columns <= GRAM_COLUMNS ? rank : (int) Math.min(rows, (long) rank + OVERSAMPLING);
  }

  /** A random orthonormal matrix of mode size x {@code rank}, which the seed determines. */
  Rows random(int rank) {
    Rows a = centered(site, mode, rank, ValueType.DOUBLE, seed);
    Sums sums = site.run(step("start").rows("A", a).then(gram(rank)));
    return orthonormal(a, sums.matrix("G", rank));
  }

  /** A random matrix of mode size x {@code columns} with the mean 0, which the seed determines. */
  static Rows centered(Site site, int mode, int columns, ValueType type, long seed) {
    Rows a = site.random(mode, columns, type, seed);
    site.run(
        Step.of(mode, "random numbers of mode " + mode)
            .rows("A", a)
            .then(RowOperation.each(new Centered(), "A")));
    return a;
  }

  /** Subtracts 0.5, so that numbers in [0, 1) have the mean 0. */
  private record Centered() implements RowRule {
    @Override
    public void apply(double[][] rows, double[] sums) {
      for (int r = 0; r < rows[0].length; r++) {
        rows[0][r] -= 0.5;
      }
    }
  }

  private Step step(String what) {
    return Step.of(mode, "basis of mode " + mode + ": " + what);
  }

  private RowOperation gram(int columns) {
    return bases.gram("G", "A", columns);
  }

  /**
   * The {@code rank} leading left singular vectors of Y as columns, by decreasing singular value.
   * They come from the eigen decomposition of {@code Y^T Y}. If Y is wide, they come from a sample
   * of its range with two steps of subspace iteration (Halko, Martinsson and Tropp 2011, algorithms
   * 4.4 and 5.1). Where a singular value is below 1e-12 of the largest, the vector is any that
   * completes the basis.
   *
   * @param made the step that makes Y, of this name
   * @param sweep number of the sweep for messages, from 1; 0 for the start
   */
  Rows leading(Step made, Rows y, int rank, int sweep) {
    int columns = y.columns();
    Step step = made.rows("Y", y);
    if (columns <= GRAM_COLUMNS) {
      RowAlgebra own = new RowAlgebra(y.type(), y.type(), 0);
      DMatrixRMaj gram = site.run(step.then(own.gram("G", "Y", columns))).matrix("G", columns);
      return orthonormal(y, eigenvectors(finite(gram, y, sweep), rank), products);
    }
    site.run(step);
    int width = width(y.count(), columns, rank);
    Random random = new Random(seed + sweep);
    DMatrixRMaj right = new DMatrixRMaj(columns, width);
    right.setData(random.doubles((long) columns * width, -1, 1).toArray());
    for (int power = 0; ; power++) {
      try (Rows a = orthonormal(y, right, products)) {
        DMatrixRMaj core = finite(cross(a, y, "range"), y, sweep);
        if (power == POWERS) {
          DMatrixRMaj square = new DMatrixRMaj(width, width);
          CommonOps_DDRM.multTransB(core, core, square);
          return orthonormal(a, eigenvectors(square, rank), bases);
        }
        CommonOps_DDRM.transpose(core, right);
      }
    }
  }

  /** The product {@code A^T Y}: columns of A x columns of Y. */
  DMatrixRMaj cross(Rows a, Rows y, String what) {
    RowOperation cross = products.cross("C", "A", a.columns(), "Y", y.columns());
    return site.run(step(what).rows("A", a).rows("Y", y).then(cross)).matrix("C", y.columns());
  }

  /** An orthonormal basis of the columns of {@code M P}, of as many columns as P has. */
  private Rows orthonormal(Rows m, DMatrixRMaj p, RowAlgebra algebra) {
    Rows a = site.rows(mode, p.numCols, ValueType.DOUBLE);
    Sums sums =
        site.run(
            step("columns")
                .rows("A", a)
                .rows("M", m)
                .small("P", p)
                .then(algebra.product("A", "M", "P"))
                .then(gram(p.numCols)));
    return orthonormal(a, sums.matrix("G", p.numCols));
  }

  /**
   * Replaces A by {@code A (A^T A)^(-1/2)}, whose columns are the orthonormal columns nearest to
   * those of A. It repeats this until only rounding errors are left.
   *
   * @param first the Gram matrix of A
   */
  private Rows orthonormal(Rows a, DMatrixRMaj first) {
    DMatrixRMaj gram = first;
    for (int round = 1; round <= MOST_ROUNDS; round++) {
      if (isIdentity(gram)) {
        return a;
      }
      int number = round;
      DMatrixRMaj now = gram;
      gram =
          completed(a, gram, round)
              .orElseGet(
                  () ->
                      site.run(
                              step("round " + number)
                                  .rows("A", a)
                                  .small("P", inverseRoot(now))
                                  .then(bases.product("A", "A", "P"))
                                  .then(gram(a.columns())))
                          .matrix("G", a.columns()));
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

  /**
   * Replaces columns that are nearly zero by random columns, and returns the new Gram matrix. It
   * returns nothing if there are no such columns. Where rounds have not made columns independent,
   * as if fewer rows than columns have numbers, it also replaces those that depend on the columns
   * before.
   */
  private Optional<DMatrixRMaj> completed(Rows a, DMatrixRMaj gram, int round) {
    double longest = CommonOps_DDRM.elementMax(gram);
    double scale = longest > 0 ? Math.sqrt(longest) : 1;
    int[] vanished =
        round % STUCK == 0
            ? dependent(gram)
            : IntStream.range(0, gram.numCols)
                .filter(c -> !(gram.get(c, c) > longest * VANISHED))
                .toArray();
    if (vanished.length == 0) {
      return Optional.empty();
    }
    try (Rows drawn = site.random(mode, vanished.length, ValueType.DOUBLE, seed + 1009L * round)) {
      return Optional.of(
          site.run(
                  step("missing columns")
                      .rows("A", a)
                      .rows("D", drawn)
                      .then(RowOperation.each(new Drawn(vanished, scale), "A", "D"))
                      .then(gram(a.columns())))
              .matrix("G", a.columns()));
    }
  }

  /** The columns that depend on those before, by a Cholesky decomposition that leaves them out. */
  private static int[] dependent(DMatrixRMaj gram) {
    int columns = gram.numCols;
    double[][] lower = new double[columns][columns];
    boolean[] left = new boolean[columns];
    for (int c = 0; c < columns; c++) {
      double[] row = lower[c];
      double rest = gram.get(c, c);
      for (int k = 0; k < c; k++) {
        double product = gram.get(c, k);
        for (int l = 0; l < k; l++) {
          product -= row[l] * lower[k][l];
        }
        row[k] = left[k] ? 0 : product / lower[k][k];
        rest -= row[k] * row[k];
      }
      left[c] = !(rest > gram.get(c, c) * DEPENDENT);
      row[c] = Math.sqrt(Math.max(0, rest));
    }
    return IntStream.range(0, columns).filter(c -> left[c]).toArray();
  }

  /** Takes some columns of a row from another row, centered and scaled. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Drawn(int[] columns, double scale) implements RowRule {
    @Override
    public void apply(double[][] rows, double[] sums) {
      for (int c = 0; c < columns.length; c++) {
        rows[0][columns[c]] = scale * (rows[1][c] - 0.5);
      }
    }
  }

  /**
   * {@code D (D G D)^(-1/2)} for the diagonal matrix D that makes the diagonal of {@code D G D} 1.
   */
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

  /** The eigenvectors of the {@code count} largest eigenvalues, as columns. */
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

  private DMatrixRMaj finite(DMatrixRMaj matrix, Rows y, int sweep) {
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
                + Sweeps.firstNonfinite(site, List.of(y))
                + "; leave out values that are not finite, and divide the others by one number");
      }
    }
    return matrix;
  }
}
