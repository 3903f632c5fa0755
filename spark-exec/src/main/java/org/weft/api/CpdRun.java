package org.weft.api;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.cp.CpState;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpAlgorithm;
import org.weft.engine.CpdResult;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.SampledStart;
import org.weft.engine.model.RunSummary;
import org.weft.error.ErrorCode;
import org.weft.error.Given;
import org.weft.error.WeftException;
import org.weft.spark.model.CpValue;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * A CP decomposition to be run: alternating least squares, HALS where all factors are to be
 * nonnegative (Kolda and Bader 2009, section 3.4), AO-ADMM for modes with a {@link Constraint}.
 * Cost of an iteration: {@code O(order nnz R)}.
 */
public final class CpdRun extends ModelRun<CpdRun, CpModel> {
  private final int rank;
  private boolean nonnegative;
  private final Map<Integer, org.weft.decomposition.constraint.FactorConstraint> constraints =
      new HashMap<>();
  private double ridge;
  private CpAlgorithm algorithm = CpAlgorithm.ALS;
  private @Nullable CpModel from;

  CpdRun(Tensor tensor, int rank) {
    super(tensor);
    this.rank = rank;
  }

  /** Keep all factors nonnegative. */
  public CpdRun nonnegative() {
    this.nonnegative = true;
    return this;
  }

  /**
   * Constrains the factor of a mode; other modes stay free. Not together with {@link #nonnegative},
   * which is of all modes.
   *
   * @param mode counted from 0
   */
  public CpdRun constrain(int mode, Constraint constraint) {
    constraints.put(mode, Given.required("constraint", constraint).rule());
    return this;
  }

  /**
   * As above.
   *
   * @param mode one of {@link Tensor#modes}
   * @throws org.weft.error.WeftException {@code USAGE} for a name that no mode has
   */
  public CpdRun constrain(String mode, Constraint constraint) {
    Given.required("mode", mode);
    Given.required("constraint", constraint);
    int number = tensor().modes().indexOf(mode);
    if (number < 0) {
      throw new WeftException(
          ErrorCode.USAGE, "expected a mode of " + tensor().modes() + ", found '" + mode + "'");
    }
    return constrain(number, constraint);
  }

  /** Weight of small factors, relative to the diagonal of each least-squares problem; else 0. */
  public CpdRun ridge(double weight) {
    this.ridge = weight;
    return this;
  }

  /**
   * The algorithm: {@code als}, least-squares problems in turn; {@code hals}, which {@link
   * #nonnegative} takes for them; {@code arls}, which decomposes the slices with the most entries,
   * those of the highest leverage, and then all of them in a few iterations of als or hals.
   * Listeners hear of all these iterations. {@code als} if this is not called.
   *
   * @throws org.weft.error.WeftException {@code USAGE} for another name
   */
  public CpdRun method(String name) {
    this.algorithm =
        new CpAlgorithm(
            CpAlgorithm.Name.of(Given.required("name", name)),
            algorithm.share(),
            algorithm.polish());
    return this;
  }

  /** With {@code arls}: about the share of the entries in each sample; 0.1 if not called. */
  public CpdRun sample(double share) {
    this.algorithm = new CpAlgorithm(algorithm.name(), share, algorithm.polish());
    return this;
  }

  /**
   * With {@code arls}: iterations over all entries; 2 if this is not called, or 10 for nonnegative
   * factors, which take smaller steps.
   */
  public CpdRun polish(int most) {
    this.algorithm = new CpAlgorithm(algorithm.name(), algorithm.share(), OptionalInt.of(most));
    return this;
  }

  /**
   * Starts from a model of the same rank, such as that of yesterday, and not from random factors.
   * The same label is the same slice of both, whatever its coordinate. In a mode in which either
   * has no labels, equal coordinates are the same slice. Rows of slices that the model lacks are
   * random.
   */
  public CpdRun from(CpModel model) {
    this.from = Given.required("model", model);
    return this;
  }

  private Optional<CpState> begun(CpModel model, Cpd cpd) {
    int order = tensor().shape().length;
    if (model.rank() != rank || model.modes().size() != order) {
      throw new WeftException(
          ErrorCode.USAGE,
          String.format(
              Locale.ROOT,
              "from: expected a model of rank %d and %s, found rank %d and %s",
              rank,
              Counts.plain(order, "mode"),
              model.rank(),
              Counts.plain(model.modes().size(), "mode")));
    }
    return Optional.of(CpState.of(model.rowsFor(tensor(), cpd), model.lambda()));
  }

  @Override
  CpModel model(ProgressListener progress) {
    Cpd cpd =
        new Cpd(
            rank,
            iterations(),
            tolerance(),
            nonnegative || algorithm.isNonnegative(),
            startSeed(),
            ValueType.DOUBLE,
            constraints,
            ridge);
    algorithm.check(cpd);
    if (from != null && algorithm.isSampled()) {
      throw new WeftException(
          ErrorCode.USAGE, "from: expected method als or hals, found arls, which starts by itself");
    }
    EngineTensor all = tensor().packable();
    Optional<SampledStart.Found> begun =
        algorithm.sample(all, cpd).map(sample -> sample.find(engine(), all, cpd, progress));
    Cpd whole = begun.isPresent() ? algorithm.polished(cpd) : cpd;
    Optional<CpState> state =
        from == null ? begun.map(SampledStart.Found::state) : begun(from, cpd);
    Checkpoints begin = Checkpoints.from(state.map(CpState::begun));
    CpdResult result = engine().cpd(all, whole, begin, progress);
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("lambda", result.lambda());
    begun.ifPresent(found -> more.putAll(found.outcome()));
    return new CpModel(
        factors(result.factors(), new CpValue(result.lambda())),
        summary(
            all,
            RunSummary.method(cpd, algorithm),
            result.norm(),
            result.fits(),
            result.seconds(),
            result.converged(),
            more,
            result.report()));
  }
}
