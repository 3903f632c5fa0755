package org.weft.decomposition.cp;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.decomposition.Grams;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;

/**
 * All of a {@link StreamingUpdate} that is R x R: Gram matrices of the factors and of their old
 * rows, and the Q_n of the past.
 */
final class GrownGrams {
  private static final String ALL = "gram";
  private static final String OLD = "old";

  private final double forget;
  private final int order;
  private final int rank;
  private final DMatrixRMaj[] all;
  private final DMatrixRMaj[] old;
  private final DMatrixRMaj[] information;

  /**
   * Those of factors that share the weights.
   *
   * @param old Gram matrices of the factors, whose new rows are zeros
   */
  GrownGrams(CpHistory history, double forget, DMatrixRMaj[] old) {
    this.forget = forget;
    this.order = history.order();
    this.rank = history.rank();
    this.old = old.clone();
    this.all = old.clone();
    this.information = new DMatrixRMaj[order];
    Arrays.setAll(
        information,
        mode ->
            history.information().length == 0
                ? Grams.hadamard(old, mode)
                : scaled(
                    new DMatrixRMaj(rank, rank, true, history.information()[mode].clone()),
                    history.others(mode)));
  }

  /** Goes on from a state that {@link #save} has made. */
  void goOn(MethodState<RowSource> state) {
    double[][] ofAll = state.lists(ALL);
    double[][] ofOld = state.lists(OLD);
    Arrays.setAll(all, mode -> new DMatrixRMaj(rank, rank, true, ofAll[mode]));
    Arrays.setAll(old, mode -> new DMatrixRMaj(rank, rank, true, ofOld[mode]));
  }

  /** Adds what the updates have changed. */
  MethodState<Rows> save(MethodState<Rows> state) {
    return state.numbers(ALL, numbers(all)).numbers(OLD, numbers(old));
  }

  private static double[][] numbers(DMatrixRMaj[] matrices) {
    return Arrays.stream(matrices).map(matrix -> matrix.data).toArray(double[][]::new);
  }

  /** Takes the Gram matrix of a factor whose new rows alone have changed. */
  void begin(int mode, DMatrixRMaj gram) {
    all[mode] = gram;
  }

  /** Takes the Gram matrices of a factor and of its new rows. */
  void put(int mode, DMatrixRMaj gram, DMatrixRMaj ofNew) {
    all[mode] = gram;
    old[mode] = new DMatrixRMaj(rank, rank);
    CommonOps_DDRM.subtract(gram, ofNew, old[mode]);
  }

  /** Of a factor's old rows. */
  DMatrixRMaj old(int mode) {
    return old[mode];
  }

  /** {@code f Q_n}. */
  DMatrixRMaj past(int mode) {
    DMatrixRMaj weighed = information[mode].copy();
    CommonOps_DDRM.scale(forget, weighed);
    return weighed;
  }

  /** V. */
  DMatrixRMaj fresh(int mode) {
    return Grams.hadamard(all, mode);
  }

  /** {@code f Q_n + V - V'}. */
  DMatrixRMaj weighed(int mode) {
    DMatrixRMaj added = new DMatrixRMaj(rank, rank);
    CommonOps_DDRM.subtract(Grams.hadamard(all, mode), Grams.hadamard(old, mode), added);
    DMatrixRMaj weighed = new DMatrixRMaj(rank, rank);
    CommonOps_DDRM.add(forget, information[mode], 1, added, weighed);
    return weighed;
  }

  /** The square of the model's norm in the new cells. */
  double newSquared() {
    return CommonOps_DDRM.elementSum(Grams.hadamard(all, -1))
        - CommonOps_DDRM.elementSum(Grams.hadamard(old, -1));
  }

  /** Of a factor's columns. */
  double[] norms(int mode) {
    return IntStream.range(0, rank).mapToDouble(r -> Math.sqrt(all[mode].get(r, r))).toArray();
  }

  /**
   * Q_n for the next update, of factors with unit columns.
   *
   * @param asked whether new cells have asked anything of the mode's old rows
   */
  double[] after(int mode, boolean asked) {
    double[] others = new double[rank];
    Arrays.fill(others, 1);
    for (int m = 0; m < order; m++) {
      double[] norm = norms(m);
      if (m != mode) {
        Arrays.setAll(others, r -> others[r] * norm[r]);
      }
    }
    return scaled(asked ? weighed(mode) : information[mode], inverse(others)).data;
  }

  static double[] inverse(double[] numbers) {
    return Arrays.stream(numbers).map(n -> n == 0 ? 0 : 1 / n).toArray();
  }

  private static DMatrixRMaj scaled(DMatrixRMaj matrix, double[] scale) {
    DMatrixRMaj scaled = matrix.copy();
    CommonOps_DDRM.multRows(scale, scaled);
    CommonOps_DDRM.multCols(scaled, scale);
    return scaled;
  }
}
