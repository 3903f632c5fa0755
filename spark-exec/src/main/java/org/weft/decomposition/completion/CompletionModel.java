package org.weft.decomposition.completion;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.tensor.ValueType;

/** The factors of a {@link Completion} run, and how much its ridge weighs there. */
final class CompletionModel {
  private final Site site;
  private final int rank;
  private final int columns;
  private final double ridge;
  private final ModelError training;
  private final double mean;
  private final CpFactors factors;
  private final double[][] squares;

  /**
   * @param first number of the statements of {@link ModelError}, after which the entries' sum comes
   */
  CompletionModel(
      Site site, int first, int rank, boolean biases, double ridge, long seed, ValueType type) {
    int order = site.shape().order();
    this.site = site;
    this.rank = rank;
    this.columns = Completion.columns(rank, biases, order);
    this.ridge = ridge;
    this.training = new ModelError(site, first);
    this.mean = ModelError.sum(site, first + 2, List.of()) / Math.max(1, training.entries());
    BiasedStart start = BiasedStart.of(rank, columns, order, biases ? mean : 0, training.scale());
    this.factors = new CpFactors(site, columns, seed, type, start::row);
    this.squares = new double[order][];
    for (int mode = 0; mode < order; mode++) {
      squares[mode] = CpFactors.columns(site, factors.of(mode), CpFactors.SQUARES);
    }
  }

  Site site() {
    return site;
  }

  int order() {
    return site.shape().order();
  }

  int columns() {
    return columns;
  }

  ModelError training() {
    return training;
  }

  /** Of the training entries. */
  double mean() {
    return mean;
  }

  List<Rows> factors() {
    return factors.matrices();
  }

  Rows factor(int mode) {
    return factors.of(mode);
  }

  /** Columns of a mode's factor that are solved for. */
  int[] free(int mode) {
    return IntStream.range(0, columns).filter(c -> isFree(mode, c)).toArray();
  }

  boolean isFree(int mode, int column) {
    return column < rank || column == rank + mode;
  }

  /** Takes the sums of the squares of a factor's columns. */
  void squares(int mode, double[] sums) {
    squares[mode] = sums;
  }

  /** What the diagonals of the normal equations are on average, about, times the ridge. */
  double[] ridges(int mode) {
    double[] ridges = new double[columns];
    Arrays.fill(ridges, ridge * training.entries() / site.shape().size(mode));
    for (int m = 0; m < order(); m++) {
      for (int c = 0; m != mode && c < columns; c++) {
        ridges[c] *= squares[m][c] / site.shape().size(m);
      }
    }
    return ridges;
  }
}
