package org.weft.decomposition.count;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.weft.decomposition.Method;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * The statements of a {@link CpApr} job, in their order, and the memory of its rows:
 *
 * <pre>
 * Phi of each mode, the likelihood, the sum of the counts
 * by Newton's method:        the likelihood of the rows of each mode
 * with second derivatives:   the Hessians of the rows of each mode
 * </pre>
 */
record CountJob(CpApr.Update update, int order, int rank) {
  private static final String MODEL = "max(m, 0.0000000001)";

  List<RowStatement> statements() {
    List<RowStatement> statements = new ArrayList<>();
    RowStatement.Entry ratio = new RowStatement.Entry("x / " + MODEL, rank);
    for (int mode = 0; mode < order; mode++) {
      statements.add(RowStatement.mttkrp(order, mode, rank).with("phi", ratio));
    }
    String logarithm = "x * log(" + MODEL + ")";
    statements.add(RowStatement.sums("likelihood", 0, rank, logarithm));
    statements.add(RowStatement.sums("total", 0, 0, "x"));
    for (int mode = 0; update != CpApr.Update.MU && mode < order; mode++) {
      statements.add(RowStatement.sums("row_likelihood", mode, rank, logarithm));
    }
    String curved = "x / (" + MODEL + " * " + MODEL + ")";
    RowStatement.Entry second = new RowStatement.Entry(curved, rank);
    for (int mode = 0; update == CpApr.Update.PDNR && mode < order; mode++) {
      statements.add(RowStatement.normal(order, mode, rank).with("hessian", second));
    }
    return statements;
  }

  /** The number of the statement that makes {@code sum x log m}. */
  int likelihood() {
    return order;
  }

  /** The number of the statement that makes {@code sum x}. */
  int total() {
    return order + 1;
  }

  /** The number of the statement that makes the sum of {@link #likelihood} for each row. */
  int rowLikelihood(int mode) {
    return order + 2 + mode;
  }

  int hessian(int mode) {
    return 2 * order + 2 + mode;
  }

  boolean isQuasi() {
    return update == CpApr.Update.PQNR;
  }

  Method.Memory memory(TensorShape shape, ValueType type) {
    double rows = IntStream.range(0, order).mapToLong(shape::size).sum();
    double bytes = 2 * rows * rank * type.bytes();
    String about = "factors of %,.0f rows of %d numbers; give a lower --rank";
    if (update == CpApr.Update.MU) {
      return new Method.Memory(bytes, String.format(Locale.ROOT, about, rows, rank));
    }
    bytes += rows * NewtonUpdate.columns(rank, isQuasi()) * Double.BYTES;
    if (isQuasi()) {
      return new Method.Memory(
          bytes, String.format(Locale.ROOT, about + ", or --method mu", rows, rank));
    }
    double most = IntStream.range(0, order).mapToLong(shape::size).max().orElse(0);
    return new Method.Memory(
        bytes + most * rank * rank * type.bytes(),
        String.format(
            Locale.ROOT,
            "Hessians of %,.0f slices, %s each; give a lower --rank or --method pqnr",
            most,
            Counts.of(rank * rank, "number")));
  }
}
