package org.weft.engine.model;

import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.RowSource;
import org.weft.storage.model.MatchedLabels;
import org.weft.tensor.DenseMatrix;

/** The rows that a CP decomposition starts from if it starts from a model of other slices. */
public final class StartRows {
  private StartRows() {}

  /**
   * The model's rows at the places of their slices; all other rows are random. Memory: both
   * matrices, in this process.
   *
   * @param known the factor of the model: its mode size x R, columns of norm 1
   * @param places the row of the model for each slice of the tensor, {@link MatchedLabels#ABSENT}
   *     if there is none
   * @param size of the tensor's mode
   */
  public static RowSource at(DenseMatrix known, long[] places, long size, Cpd cpd, int mode) {
    DenseMatrix start = DenseMatrix.zeros(size, cpd.rank());
    double[] row = new double[cpd.rank()];
    double scale = scale(known.rows());
    for (long slice = 0; slice < size; slice++) {
      long place = slice < places.length ? places[(int) slice] : MatchedLabels.ABSENT;
      if (place == MatchedLabels.ABSENT || place >= known.rows()) {
        DenseMatrix.randomRow(cpd.seed(mode), slice, row, 0, row.length);
        for (int r = 0; r < row.length; r++) {
          row[r] *= scale;
        }
      } else {
        known.copyRow(place, row, 0);
      }
      start.setRow(slice, row, 0);
    }
    return RowSource.of(start);
  }

  /** The size of random numbers beside those of columns of norm 1. */
  public static double scale(long rows) {
    return 1 / Math.sqrt(Math.max(1, rows));
  }
}
