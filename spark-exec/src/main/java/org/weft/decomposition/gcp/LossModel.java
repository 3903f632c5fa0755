package org.weft.decomposition.gcp;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.Sweeps;
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
  private final Gcp gcp;
  private final Loss loss;
  private final RowAlgebra algebra;
  private final double width;
  private final CpFactors factors;
  private Optional<Sample> sample = Optional.empty();

  /**
   * Where an iteration computes losses and gradients.
   *
   * @param gradients of all modes
   */
  private record Sample(Site site, List<Rows> gradients) {}

  /** At a site whose job has the {@link Gcp#job} of the method. */
  LossModel(Site site, Gcp gcp, Optional<MethodState<RowSource>> start) {
    int rank = gcp.rank();
    this.site = site;
    this.gcp = gcp;
    this.loss = gcp.loss();
    this.algebra = RowAlgebra.of(rank, gcp.valueType());
    this.width = width(rank);
    double from = loss.nonnegative() ? 0 : -0.5;
    double factor = width; // what travels is numbers
    this.factors =
        CpFactors.of(
            start,
            site,
            rank,
            gcp.seed(),
            gcp.valueType(),
            mode -> (rows, sums) -> Arrays.setAll(rows[0], r -> factor * (rows[0][r] + from)));
  }

  /** Of random numbers, so that products of columns are about as large as the entries. */
  private double width(int rank) {
    int order = order();
    double entries = Math.max(1, ModelError.sum(site, firstSum() + 2, List.of()));
    if (loss.data() == Loss.Data.BITS && !loss.nonnegative()) {
      return 2 * Math.sqrt(3) * Math.pow(1.0 / rank, 1.0 / (2 * order));
    }
    double squares = site.normSquared() / entries;
    double mean = Math.abs(ModelError.sum(site, firstSum() + 1, List.of())) / entries;
    double numbers =
        loss.nonnegative()
            ? 2 * Math.pow(mean / rank, 1.0 / order)
            : 2 * Math.sqrt(3) * Math.pow(squares / rank, 1.0 / (2 * order));
    return numbers > 0 ? numbers : 1;
  }

  Site site() {
    return site;
  }

  /**
   * Checks a number that losses or slopes have made, of entries whose squares are finite.
   *
   * @param rows in which a number can be that is not finite
   * @throws org.weft.error.WeftException {@code NONFINITE_VALUE}
   */
  void requireFinite(String what, double value, List<Rows> rows) {
    Sweeps.requireFinite(
        what,
        value,
        site,
        rows,
        "the loss '"
            + loss.name()
            + "', or its slope, is not finite for all entries x and all m that the steps come to;"
            + " give one that is, such as with log(m + 1e-10) and --nonnegative for log(m), or"
            + " shorter steps of adam (--rate), or divide all values by one number");
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

  /** Number of the statement of the loss, after which come sum and number of the entries. */
  private int firstSum() {
    return gcp.samples().isPresent() ? 0 : order();
  }

  /** Whether the method has samples. */
  boolean isSampled() {
    return gcp.samples().isPresent();
  }

  /** Does work whose losses and gradients are those of a sample, if the method has samples. */
  void sampled(int number, Runnable work) {
    if (gcp.samples().isEmpty()) {
      work.run();
    } else {
      gcp.samples().get().run(number, new SampleWork(gcp, once(work)));
    }
  }

  /**
   * Work that has failed once fails again. Where rows were lost, work on a sample would be done
   * again, from the factors that it had reached; the whole run has to.
   */
  private Consumer<Site> once(Runnable work) {
    AtomicReference<RuntimeException> failure = new AtomicReference<>();
    return there -> {
      if (failure.get() != null) {
        throw failure.get();
      }
      sample = Optional.of(new Sample(there, gradients(there)));
      try {
        work.run();
      } catch (RuntimeException e) {
        failure.set(e);
        throw e;
      } finally {
        sample = Optional.empty();
      }
    };
  }

  private List<Rows> gradients(Site there) {
    return IntStream.range(0, order())
        .mapToObj(mode -> there.rows(mode, gcp.rank(), gcp.valueType()))
        .toList();
  }

  /** The loss of factors that steps lower: in the sample, during its work. */
  double loss(List<Rows> of) {
    return sample
        .map(there -> ModelError.sum(there.site(), order(), of))
        .orElseGet(() -> judged(of));
  }

  /** The loss of factors at the site, which no step knows if the method has samples. */
  double judged(List<Rows> of) {
    return ModelError.sum(site, firstSum(), of);
  }

  /** A step at the site that has the gradient of a mode, named G. */
  Step gradient(int mode) {
    Step step = Step.of(mode, "gradient of mode " + mode);
    if (sample.isEmpty()) {
      return step.product("G", mode, factors());
    }
    Rows made = sample.get().gradients().get(mode);
    Step there = Step.of(mode, "gradient of mode " + mode + " in a sample");
    sample.get().site().run(there.product("G", mode, factors()).rows("G", made));
    return step.rows("G", made);
  }

  /** Puts the gradient of a mode into rows. */
  void gradient(int mode, Rows into) {
    Step step = gradient(mode);
    site.run(
        sample.isEmpty()
            ? step.rows("G", into)
            : step.rows("K", into).then(algebra.copy("K", "G")));
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
    CpFactors.copy(site, algebra, into, from);
  }
}
