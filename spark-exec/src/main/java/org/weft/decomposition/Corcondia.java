package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.weft.decomposition.rows.NormalEquations;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * Core consistency of a CP model (Bro and Kiers 2003): how near the Tucker core that fits the
 * tensor best with the model's factors is to the superdiagonal of ones that CP stands for.
 *
 * <pre>
 * G = X x_1 A_1^+ x_2 A_2^+ ... ,   100 (1 - |G - I|^2 / R)
 * </pre>
 *
 * <p>G (R x R x ...) is the core, I has ones on its superdiagonal, and {@code A^+} is the
 * pseudo-inverse. The value is 100 if the data are trilinear as the model says. It is near 0 or
 * negative if the model has too many components. The core is a TTMc along the smallest mode, with
 * the rows of the pseudo-inverses' transposes. It costs O(nnz R^(N-1)) for N modes and avoids
 * Kronecker products (as Papalexakis and Faloutsos 2015 do).
 *
 * @param factors a matrix of mode size x R for each mode, with the weights in one of them
 */
public record Corcondia(List<DenseMatrix> factors) implements Method<Double> {
  private static final long MOST_COLUMNS = 1 << 16;

  public Corcondia {
    factors = List.copyOf(factors);
  }

  private int rank() {
    return factors.get(0).columns();
  }

  private int smallest() {
    return IntStream.range(0, factors.size())
        .boxed()
        .min((a, b) -> Long.compare(factors.get(a).rows(), factors.get(b).rows()))
        .orElseThrow();
  }

  private long columns() {
    return (long) Math.pow(rank(), factors.size() - 1.0);
  }

  @Override
  public void check(TensorShape shape) {
    long[] expected = factors.stream().mapToLong(DenseMatrix::rows).toArray();
    if (!Arrays.equals(expected, shape.toArray())) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "expected the model's tensor of " + TensorShape.of(expected) + ", found " + shape);
    }
    if (shape.order() < 2 || columns() > MOST_COLUMNS) {
      throw new WeftException(
          ErrorCode.USAGE,
          String.format(
              Locale.ROOT,
              "core consistency: expected 2 modes or more and a core of at most %,d columns, found"
                  + " %s and %s",
              MOST_COLUMNS,
              Counts.plain(shape.order(), "mode"),
              Counts.of(columns(), "column")));
    }
  }

  @Override
  public Job job(TensorShape shape) {
    int[] ranks = new int[shape.order()];
    Arrays.fill(ranks, rank());
    return new Job(
        "core consistency",
        List.of(RowStatement.ttmc(smallest(), ranks)),
        List.of(algebra().cross()),
        1,
        ValueType.DOUBLE);
  }

  private static RowAlgebra algebra() {
    return new RowAlgebra(ValueType.DOUBLE, ValueType.DOUBLE, 0);
  }

  @Override
  public Memory memory(TensorShape shape) {
    return new Memory(
        (double) factors.get(smallest()).rows() * columns() * Double.BYTES,
        "products of " + Counts.plain(columns(), "column") + " along mode " + smallest());
  }

  @Override
  public Double run(Site site, Observer observer) {
    int mode = smallest();
    List<Rows> inverses = new ArrayList<>();
    for (int m = 0; m < factors.size(); m++) {
      inverses.add(site.given(m, pseudoInverse(factors.get(m)), ValueType.DOUBLE));
    }
    int columns = Math.toIntExact(columns());
    Step step =
        Step.of(mode, "core consistency")
            .product("Y", 0, inverses)
            .rows("Y", site.rows(mode, columns, ValueType.DOUBLE))
            .rows("A", inverses.get(mode))
            .then(algebra().cross("C", "A", rank(), "Y", columns));
    DMatrixRMaj core = site.run(step).matrix("C", columns);
    double away = 0;
    for (int r = 0; r < core.numRows; r++) {
      int diagonal = 0;
      for (int m = 1; m < factors.size(); m++) {
        diagonal = diagonal * rank() + r;
      }
      for (int p = 0; p < columns; p++) {
        away += Math.pow(core.get(r, p) - (p == diagonal ? 1 : 0), 2);
      }
    }
    return 100 * (1 - away / rank());
  }

  /** The transpose of the pseudo-inverse, {@code A (A^T A)^+}: mode size x R. */
  private static DenseMatrix pseudoInverse(DenseMatrix factor) {
    int rank = factor.columns();
    double[] row = new double[rank];
    DMatrixRMaj gram = new DMatrixRMaj(rank, rank);
    for (long i = 0; i < factor.rows(); i++) {
      factor.copyRow(i, row, 0);
      for (int r = 0; r < rank; r++) {
        for (int s = 0; s < rank; s++) {
          gram.add(r, s, row[r] * row[s]);
        }
      }
    }
    DMatrixRMaj inverse = new NormalEquations(gram).inverse();
    DenseMatrix result = DenseMatrix.zeros(factor.rows(), rank);
    double[] out = new double[rank];
    for (long i = 0; i < factor.rows(); i++) {
      factor.copyRow(i, row, 0);
      Arrays.fill(out, 0);
      for (int r = 0; r < rank; r++) {
        for (int s = 0; s < rank; s++) {
          out[r] += row[s] * inverse.get(s, r);
        }
      }
      result.setRow(i, out, 0);
    }
    return result;
  }
}
