package org.weft.decomposition.gcp;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.loss.Loss;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.tensor.ValueType;

/** The factors of a {@link Gcp} run, the loss there and its gradient. */
final class LossModel {
  private final Site site;
  private final Loss loss;
  private final RowAlgebra algebra;
  private final double width;
  private final CpFactors factors;

  /** At a site whose job has the gradients of all modes, then loss, sum and number of entries. */
  LossModel(
      Site site,
      Loss loss,
      int rank,
      long seed,
      ValueType type,
      Optional<MethodState<RowSource>> start) {
    this.site = site;
    this.loss = loss;
    this.algebra = RowAlgebra.of(rank, type);
    this.width = width(rank);
    double from = loss.nonnegative() ? 0 : -0.5;
    double factor = width; // what travels is numbers
    this.factors =
        CpFactors.of(
            start,
            site,
            rank,
            seed,
            type,
            mode -> (rows, sums) -> Arrays.setAll(rows[0], r -> factor * (rows[0][r] + from)));
  }

  /** Of random numbers, so that products of columns are about as large as the entries. */
  private double width(int rank) {
    int order = order();
    double entries = Math.max(1, ModelError.sum(site, order + 2, List.of()));
    if (loss.data() == Loss.Data.BITS && !loss.nonnegative()) {
      return 2 * Math.sqrt(3) * Math.pow(1.0 / rank, 1.0 / (2 * order));
    }
    double squares = site.normSquared() / entries;
    double mean = Math.abs(ModelError.sum(site, order + 1, List.of())) / entries;
    double numbers =
        loss.nonnegative()
            ? 2 * Math.pow(mean / rank, 1.0 / order)
            : 2 * Math.sqrt(3) * Math.pow(squares / rank, 1.0 / (2 * order));
    return numbers > 0 ? numbers : 1;
  }

  Site site() {
    return site;
  }

  int order() {
    return site.shape().order();
  }

  /** Of the range of the initial factors' numbers. */
  double width() {
    return width;
  }

  /** What no number of a factor is below. */
  double lower() {
    return loss.nonnegative() ? 0 : Double.NEGATIVE_INFINITY;
  }

  List<Rows> factors() {
    return factors.matrices();
  }

  /** A state with the factors. */
  MethodState<Rows> state() {
    return factors.state();
  }

  /** The loss of factors. */
  double loss(List<Rows> of) {
    return ModelError.sum(site, order(), of);
  }

  /** A step that makes the gradient of a mode, named G. */
  Step gradient(int mode) {
    return Step.of(mode, "gradient of mode " + mode).product("G", mode, factors());
  }

  /** Rows of zeros, as the factors are. */
  List<Rows> zeros() {
    return factors().stream()
        .map(rows -> CpFactors.zeros(site, rows.mode(), rows.columns(), rows.type()))
        .toList();
  }

  /** Rows of a state by their name, or rows of zeros where there is none. */
  List<Rows> at(Optional<MethodState<RowSource>> state, String name) {
    ValueType type = factors().get(0).type();
    return state.map(saved -> MethodState.at(site, saved, name, type)).orElseGet(this::zeros);
  }

  /** Copies rows of all modes. */
  void copy(List<Rows> into, List<Rows> from) {
    IntStream.range(0, order())
        .forEach(
            mode -> {
              Step copy = Step.of(mode, "copy of mode " + mode).rows("K", into.get(mode));
              site.run(copy.rows("A", from.get(mode)).then(algebra.copy("K", "A")));
            });
  }
}
