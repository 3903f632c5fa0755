package org.weft.decomposition.completion;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.tensor.ValueType;

/** The factors of a {@link Completion} run, and how much its ridge weighs there. */
final class CompletedFactors {
  private final Site site;
  private final int rank;
  private final int columns;
  private final double ridge;
  private final ModelError training;
  private final double mean;
  private final CpFactors factors;
  private final BiasedStart start;

  /**
   * @param first number of the statements of {@link ModelError}, after which the entries' sum comes
   * @param from the state to go on from; empty for random factors
   */
  CompletedFactors(
      Site site,
      int first,
      int rank,
      boolean biases,
      double ridge,
      long seed,
      ValueType type,
      Optional<MethodState<RowSource>> from) {
    int order = site.shape().order();
    this.site = site;
    this.rank = rank;
    this.columns = Completion.columns(rank, biases, order);
    this.ridge = ridge;
    this.training = new ModelError(site, first);
    this.mean = ModelError.sum(site, first + 2, List.of()) / Math.max(1, training.entries());
    this.start = BiasedStart.of(rank, columns, order, biases ? mean : 0, training.scale());
    this.factors = CpFactors.of(from, site, columns, seed, type, start::row);
  }

  /** A state with the factors. */
  MethodState<Rows> state() {
    return factors.state();
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

  /** The ridge times what the diagonals of the normal equations are at the start, on average. */
  double[] ridges(int mode) {
    double entries = ridge * training.entries() / site.shape().size(mode);
    double[] ridges = new double[columns];
    Arrays.fill(ridges, entries); // of biases, whose other rows are 1
    Arrays.fill(ridges, 0, rank, entries * Math.pow(start.variance(), order() - 1));
    return ridges;
  }
}
