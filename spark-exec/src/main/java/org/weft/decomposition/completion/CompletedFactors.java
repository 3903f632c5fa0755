package org.weft.decomposition.completion;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.Grams;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.decomposition.rows.Sums;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;

/**
 * The factors of a {@link Completion} run, and how much its ridge weighs there. Where missing cells
 * count, it also has the factors' Gram matrices.
 */
final class CompletedFactors {
  private final Site site;
  private final Completion wanted;
  private final int columns;
  private final int first;
  private final ModelError training;
  private final double mean;
  private final double cells; // by their weights
  private final CpFactors factors;
  private final BiasedStart start;
  private final Optional<Grams> grams;

  /**
   * @param first number of the statements of {@link ModelError}, after which those of {@link
   *     #statements} come
   * @param from the state to go on from; empty for random factors
   */
  CompletedFactors(Site site, Completion wanted, int first, Optional<MethodState<RowSource>> from) {
    TensorShape shape = site.shape();
    this.site = site;
    this.wanted = wanted;
    this.columns = wanted.columns(shape.order());
    this.first = first + ModelError.STATEMENTS;
    this.training = new ModelError(site, first);
    double sum = ModelError.sum(site, this.first, List.of());
    long entries = Math.max(1, training.entries());
    this.mean = sum / entries;
    double others = missing() > 0 ? missing() * (shape.cells() - training.entries()) : 0;
    this.cells = training.entries() + others;
    double least = Math.max(1, cells);
    this.start =
        BiasedStart.of(
            wanted.rank(),
            columns,
            shape.order(),
            wanted.biases() ? sum / least : 0,
            Math.sqrt(site.normSquared() / least));
    this.factors = CpFactors.of(from, site, columns, wanted.seed(), wanted.valueType(), start::row);
    this.grams =
        missing() > 0 ? Optional.of(Grams.of(site, factors(), algebra())) : Optional.empty();
  }

  /** The sum of the entries; that of the model's squares there, if missing cells count. */
  static List<RowStatement> statements(int columns, double missing) {
    RowStatement total = RowStatement.sums("total", 0, 0, "x");
    return missing > 0
        ? List.of(total, RowStatement.sums("squares", 0, columns, "m * m"))
        : List.of(total);
  }

  private double missing() {
    return wanted.solver().missing();
  }

  RowAlgebra algebra() {
    return RowAlgebra.of(columns, wanted.valueType());
  }

  /** The sum over all cells of a slice of what its normal equations sum; empty if none count. */
  double[] v(int mode) {
    return grams.map(all -> all.hadamard(mode).data).orElse(new double[0]);
  }

  /** Runs a step that changes the factor of its mode, whose name there is A. */
  void change(Step step) {
    if (grams.isEmpty()) {
      site.run(step);
    } else {
      Sums sums = site.run(step.then(algebra().gram("G", "A", columns)));
      grams.get().set(step.mode(), sums.matrix("G", columns));
    }
  }

  /**
   * The root of the mean squared error, to which missing cells add by their weight.
   *
   * @param rmse at the entries
   */
  double error(double rmse) {
    if (grams.isEmpty()) {
      return rmse;
    }
    double elsewhere = grams.get().modelSquared() - ModelError.sum(site, first + 1, factors());
    double squares = missing() * Math.max(0, elsewhere) / Math.max(1, training.entries());
    return Math.sqrt(rmse * rmse + squares);
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
    return column < wanted.rank() || column == wanted.rank() + mode;
  }

  /** The ridge times what the diagonals of the normal equations are at the start, on average. */
  double[] ridges(int mode) {
    double all = wanted.ridge() * cells / site.shape().size(mode);
    double[] ridges = new double[columns];
    Arrays.fill(ridges, all); // of biases, whose other rows are 1
    Arrays.fill(ridges, 0, wanted.rank(), all * Math.pow(start.variance(), order() - 1));
    return ridges;
  }
}
