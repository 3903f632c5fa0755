package org.weft.decomposition.cp;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.decomposition.rows.PaddedRows;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.decomposition.rows.Sums;
import org.weft.tensor.TensorShape;

/**
 * All of a {@link StreamingUpdate} that has a mode's size: the model's factors, which share its
 * weights and have rows for new slices, and what the past asks of them.
 */
final class GrownFactors {
  private final Site site;
  private final Cpd cpd;
  private final TensorShape known;
  private final int rank;
  private final List<Rows> factors = new ArrayList<>();
  private final Map<Integer, Rows> past = new HashMap<>();
  private final Map<Integer, Rows> isOld = new HashMap<>();

  /** New rows are zeros. */
  GrownFactors(Site site, Cpd cpd, CpHistory history) {
    this.site = site;
    this.cpd = cpd;
    this.known = history.shape();
    this.rank = history.rank();
    for (int mode = 0; mode < history.order(); mode++) {
      PaddedRows grown = new PaddedRows(history.factors().get(mode), site.shape().size(mode));
      Rows rows = site.given(mode, grown, cpd.valueType());
      Step step = Step.of(mode, "weights of factor " + mode).rows("A", rows);
      DMatrixRMaj share = CommonOps_DDRM.diag(history.share(mode));
      site.run(step.small("P", share).then(cpd.algebra().product("A", "A", "P")));
      factors.add(rows);
    }
  }

  List<Rows> factors() {
    return factors;
  }

  boolean grow(int mode) {
    return site.shape().size(mode) > known.size(mode);
  }

  boolean othersGrow(int mode) {
    return IntStream.range(0, factors.size()).anyMatch(other -> other != mode && grow(other));
  }

  DMatrixRMaj gram(int mode) {
    Step step = Step.of(mode, "norms of factor " + mode).rows("A", factors.get(mode));
    return site.run(step.then(cpd.algebra().gram("G", "A", rank))).matrix("G", rank);
  }

  /**
   * Makes {@code H_n = A_n P}.
   *
   * @param weighed P, R x R
   */
  void remember(int mode, DMatrixRMaj weighed) {
    Rows rows = site.rows(mode, rank, cpd.valueType());
    site.run(
        Step.of(mode, "the past of factor " + mode)
            .rows("A", factors.get(mode))
            .rows("H", rows)
            .small("P", weighed)
            .then(cpd.algebra().product("H", "A", "P")));
    past.put(mode, rows);
  }

  /** Marks the old rows of a mode that has grown. */
  void mark(int mode) {
    PaddedRows marks = PaddedRows.marks(known.size(mode), site.shape().size(mode));
    isOld.put(mode, site.given(mode, marks, cpd.valueType()));
  }

  /** Goes on from factors of all modes. */
  void replace(List<Rows> other) {
    factors.forEach(Rows::close);
    factors.clear();
    factors.addAll(other);
  }

  /**
   * Makes new rows random, about as large as old ones.
   *
   * @param old Gram matrix of the old rows
   * @return that of all rows
   */
  DMatrixRMaj begin(int mode, DMatrixRMaj old) {
    double size = Math.sqrt(CommonOps_DDRM.trace(old) / rank / Math.max(1, known.size(mode)));
    RowRule fill =
        (rows, sums) -> {
          for (int r = 0; rows[2][0] == 0 && r < rows[0].length; r++) {
            rows[0][r] = size * rows[1][r];
          }
        };
    try (Rows random = site.random(mode, rank, cpd.valueType(), cpd.seed(mode))) {
      Step step =
          Step.of(mode, "start of factor " + mode)
              .rows("A", factors.get(mode))
              .rows("X", random)
              .rows("O", Objects.requireNonNull(isOld.get(mode)))
              .then(RowOperation.each(fill, "A", "X", "O"));
      return site.run(step.then(cpd.algebra().gram("G", "A", rank))).matrix("G", rank);
    }
  }

  /** Replaces rows: G of all rows, N of the new ones, and d, the products with the MTTKRP. */
  Sums update(int mode, AppendedRow row) {
    Step step =
        Step.of(mode, "factor " + mode)
            .product("M", mode, factors)
            .rows("A", factors.get(mode))
            .rows("H", Objects.requireNonNull(past.get(mode)));
    List<String> names = new ArrayList<>(List.of("A", "M", "H"));
    if (grow(mode)) {
      step.rows("O", Objects.requireNonNull(isOld.get(mode)));
      names.add("O");
    }
    return site.run(
        step.then(new RowOperation.Each(row, names, 1, "N", rank * rank))
            .then(cpd.algebra().gram("G", "A", rank))
            .then(cpd.algebra().inner("d", "M", "A", rank)));
  }
}
