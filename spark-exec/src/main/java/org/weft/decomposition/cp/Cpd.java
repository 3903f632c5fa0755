package org.weft.decomposition.cp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.Method;
import org.weft.decomposition.Setting;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Site;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * The specification of a CP decomposition {@code X ~ sum_r lambda_r a_r o b_r o ...} (Kolda and
 * Bader 2009, section 3.4). {@link AlternatingLeastSquares} runs it, and {@link StreamingUpdate}
 * continues it.
 *
 * @param rank number of components R
 * @param maxIterations most sweeps over all modes
 * @param tolerance the run has converged if the fit changes by less between two sweeps; 0 runs
 *     every sweep
 * @param nonnegative whether every factor is constrained to be nonnegative
 * @param seed seed of the initial factors
 * @param valueType type of the tensor's values and of the factors
 * @param constraints the constraint of each mode that has one
 * @param ridge number that is added to the diagonal of each least-squares problem, relative to the
 *     mean of the diagonal
 */
public record Cpd(
    int rank,
    int maxIterations,
    double tolerance,
    boolean nonnegative,
    long seed,
    ValueType valueType,
    Map<Integer, FactorConstraint> constraints,
    double ridge) {
  private static final long MODE_SEED = 0xD1B54A32D192ED03L;

  /** How many R x R matrices an update has at a time: V, its inverse, and two of the solver. */
  private static final int SQUARES = 4;

  public Cpd {
    Setting.require(
        "cpd",
        rank >= 1 && rank <= Setting.LARGEST_RANK,
        "a rank of 1 to " + Setting.LARGEST_RANK,
        rank);
    Setting.require("cpd", maxIterations >= 1, "at least 1 iteration", maxIterations);
    Setting.require("cpd", tolerance >= 0, "a tolerance of at least 0", tolerance);
    Setting.require(
        "cpd", ridge >= 0 && ridge < Double.POSITIVE_INFINITY, "a ridge of at least 0", ridge);
    constraints = Collections.unmodifiableMap(new TreeMap<>(constraints));
    Setting.require(
        "cpd",
        !nonnegative || constraints.isEmpty(),
        "constraints of modes or nonnegative factors in all of them; nonneg is a constraint, too",
        given(constraints));
  }

  /** A decomposition without constraints of modes and without a ridge. */
  public Cpd(
      int rank,
      int maxIterations,
      double tolerance,
      boolean nonnegative,
      long seed,
      ValueType valueType) {
    this(rank, maxIterations, tolerance, nonnegative, seed, valueType, Map.of(), 0);
  }

  /** Constraints of modes, as users write them: {@code 0=nonneg,1=smooth:0.1}. */
  private String given() {
    return given(constraints);
  }

  private static String given(Map<Integer, FactorConstraint> constraints) {
    return constraints.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(","));
  }

  /** Why the numbers of a run may not be finite although the squares of the values are. */
  String whyNotFinite() {
    return constraints.values().stream().allMatch(FactorConstraint::isSet)
        ? Sweeps.LARGE_VALUES
        : "weights as of --constrain "
            + given()
            + " may take more digits than numbers have; give lower weights, or divide all values"
            + " by one number";
  }

  private static WeftException usage(String expected, Object found) {
    return new WeftException(ErrorCode.USAGE, "cpd: expected " + expected + ", found " + found);
  }

  /** The same decomposition from another seed. */
  public Cpd withSeed(long other) {
    return new Cpd(
        rank, maxIterations, tolerance, nonnegative, other, valueType, constraints, ridge);
  }

  /** The same decomposition with another limit of sweeps. */
  public Cpd withIterations(int most) {
    return new Cpd(rank, most, tolerance, nonnegative, seed, valueType, constraints, ridge);
  }

  /** The seed of {@link Site#random} for the initial factor of a mode. */
  public long seed(int mode) {
    return seed + mode * MODE_SEED;
  }

  public RowAlgebra algebra() {
    return RowAlgebra.of(rank, valueType);
  }

  /** Whether the columns of a mode's factor cannot have the weights of the components. */
  boolean fixesScale(int mode) {
    FactorConstraint constraint = constraints.get(mode);
    return constraint != null && constraint.fixesScale();
  }

  /**
   * The update of the factor of a mode: least squares, HALS, ADMM or smoothing.
   *
   * @param duals the dual variables of a checkpoint for this mode and the modes after it; the
   *     update takes its own from the front
   */
  FactorUpdate update(Site site, int mode, Deque<RowSource> duals) {
    FactorConstraint constraint = constraints.get(mode);
    if (constraint == null) {
      return nonnegative
          ? new FactorUpdate.Nonnegative(algebra())
          : new FactorUpdate.LeastSquares(algebra());
    }
    if (!constraint.isOfRows()) {
      return new SmoothUpdate(site, algebra(), mode, constraint.weight());
    }
    Optional<RowSource> dual = Optional.ofNullable(duals.poll());
    return new AdmmUpdate(site, algebra(), constraint, mode, dual);
  }

  /** Counts the R x R matrices, and two copies of the largest smooth factor in one process. */
  Method.Memory memory(TensorShape shape) {
    long most =
        constraints.entrySet().stream()
            .filter(entry -> !entry.getValue().isOfRows())
            .mapToLong(entry -> shape.size(entry.getKey()))
            .max()
            .orElse(0);
    double smooth = 2.0 * most * rank * Double.BYTES;
    double squares = (double) SQUARES * rank * rank * Double.BYTES;
    return new Method.Memory(
        smooth + squares,
        smooth > squares
            ? "a smooth mode of "
                + Counts.plain(most, "slice")
                + ", which is solved in one process; give a lower rank"
            : "matrices of " + rank + " x " + rank + "; give a lower rank");
  }

  /**
   * Checks that the decomposition applies to a tensor of {@code order} modes.
   *
   * @throws WeftException {@code USAGE}
   */
  public void check(int order) {
    if (order == 0) {
      throw usage("a tensor of order 1 or more", "a scalar");
    }
    for (int mode : constraints.keySet()) {
      if (mode < 0 || mode >= order) {
        throw usage("constraints of modes 0 to " + (order - 1), "one of mode " + mode);
      }
    }
    if (IntStream.range(0, order).allMatch(this::fixesScale)) {
      throw usage("a mode whose columns may have any norm", "--constrain " + given());
    }
  }

  /**
   * The job of the decomposition: an MTTKRP for each mode, and the dense algebra of the updates.
   *
   * @throws WeftException {@code USAGE}
   */
  public Job job(TensorShape shape) {
    check(shape.order());
    List<KernelRequest> kernels =
        new ArrayList<>(List.of(algebra().product(), algebra().gram(), algebra().inner()));
    if (nonnegative) {
      kernels.addAll(algebra().hals());
    }
    if (!constraints.isEmpty()) {
      kernels.add(algebra().copy());
      kernels.addAll(algebra().admm());
    }
    if (constraints.values().stream().anyMatch(FactorConstraint::fixesScale)) {
      kernels.addAll(algebra().simplex());
    }
    return Job.mttkrps("cpd", shape.order(), rank, kernels, maxIterations, valueType)
        .withTolerance(tolerance)
        .withSharing(true);
  }

  /** Adds the ridge to the diagonal of normal equations V (R x R). */
  void addRidge(DMatrixRMaj v) {
    double ridge = ridge() * CommonOps_DDRM.trace(v) / rank();
    for (int r = 0; ridge > 0 && r < rank(); r++) {
      v.add(r, r, ridge);
    }
  }
}
