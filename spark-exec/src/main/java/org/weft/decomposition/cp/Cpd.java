package org.weft.decomposition.cp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.Method;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Site;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * What a CP decomposition {@code X ~ sum_r lambda_r a_r o b_r o ...} is to be (Kolda and Bader
 * 2009, section 3.4).
 *
 * @param rank number of components R
 * @param maxIterations sweeps over all modes at most
 * @param tolerance stop when the fit changes by less than this between sweeps; 0 runs every sweep
 * @param nonnegative constrain every factor to be nonnegative
 * @param seed of the initial factors
 * @param constraints by mode; other modes have none
 * @param ridge what is added to the diagonal of each least-squares problem, relative to its mean
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

  /** The numbers of an R x R matrix are counted by an int. */
  private static final int LARGEST_RANK = 46_340;

  /** R x R matrices at a time: of an update, its inverse, and what the inverse is found with. */
  private static final int SQUARES = 4;

  public Cpd {
    if (rank < 1 || rank > LARGEST_RANK) {
      throw usage("a rank of 1 to " + LARGEST_RANK, rank);
    }
    if (maxIterations < 1) {
      throw usage("at least 1 iteration", maxIterations);
    }
    if (!(tolerance >= 0)) {
      throw usage("a tolerance of at least 0", tolerance);
    }
    if (!(ridge >= 0 && ridge < Double.POSITIVE_INFINITY)) {
      throw usage("a ridge of at least 0", ridge);
    }
    constraints = Collections.unmodifiableMap(new TreeMap<>(constraints));
    if (nonnegative && !constraints.isEmpty()) {
      throw usage(
          "constraints of modes or nonnegative factors in all of them; nonneg is a constraint, too",
          constraints);
    }
  }

  /** Without constraints of modes, and without a ridge. */
  public Cpd(
      int rank,
      int maxIterations,
      double tolerance,
      boolean nonnegative,
      long seed,
      ValueType valueType) {
    this(rank, maxIterations, tolerance, nonnegative, seed, valueType, Map.of(), 0);
  }

  private static WeftException usage(String expected, Object found) {
    return new WeftException(ErrorCode.USAGE, "cpd: expected " + expected + ", found " + found);
  }

  /** The same from another seed. */
  public Cpd withSeed(long other) {
    return new Cpd(
        rank, maxIterations, tolerance, nonnegative, other, valueType, constraints, ridge);
  }

  /** The same with another number of sweeps at most. */
  public Cpd withIterations(int most) {
    return new Cpd(rank, most, tolerance, nonnegative, seed, valueType, constraints, ridge);
  }

  /** The seed of {@link Site#random} for the factor that it starts from. */
  public long seed(int mode) {
    return seed + mode * MODE_SEED;
  }

  RowAlgebra algebra() {
    return RowAlgebra.of(rank, valueType);
  }

  /** Whether the columns of a mode's factor cannot have the weights of the components. */
  boolean fixesScale(int mode) {
    FactorConstraint constraint = constraints.get(mode);
    return constraint != null && constraint.fixesScale();
  }

  /**
   * How the factor of a mode is replaced.
   *
   * @param duals of the modes from this one on, which takes its own
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
    return new AdmmUpdate(site, constraint, mode, rank, valueType, dual);
  }

  /** R x R matrices, and smooth factors, which come to one process, twice. */
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
                + most
                + " slices, which is solved in one process; give a lower rank"
            : "matrices of " + rank + " x " + rank + "; give a lower rank");
  }

  /**
   * Checks that it applies to a tensor of that many modes.
   *
   * @throws WeftException {@code USAGE}
   */
  public void check(int order) {
    if (order == 0) {
      throw usage("a tensor of order 1 or more", "a scalar");
    }
    for (int mode : constraints.keySet()) {
      if (mode >= order) {
        throw usage("constraints of modes 0 to " + (order - 1), "one of mode " + mode);
      }
    }
    if (IntStream.range(0, order).allMatch(this::fixesScale)) {
      throw usage("a mode whose columns may have any norm", "constraints " + constraints);
    }
  }

  /**
   * Its statements on a tensor of this shape: MTTKRPs.
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
    }
    return Job.mttkrps("cpd", shape.order(), rank, kernels, maxIterations, valueType)
        .withTolerance(tolerance);
  }

  /** Adds the ridge to the diagonal of normal equations: a part of the mean of the diagonal. */
  void addRidge(DMatrixRMaj v) {
    double ridge = ridge() * CommonOps_DDRM.trace(v) / rank();
    for (int r = 0; ridge > 0 && r < rank(); r++) {
      v.add(r, r, ridge);
    }
  }
}
