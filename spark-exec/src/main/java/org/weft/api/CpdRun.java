package org.weft.api;

import java.util.HashMap;
import java.util.Map;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.ProgressListener;
import org.weft.engine.model.RunSummary;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.model.CpValue;
import org.weft.tensor.ValueType;

/**
 * A CP decomposition to be run: alternating least squares, HALS where all factors are to be
 * nonnegative (Kolda and Bader 2009, section 3.4), AO-ADMM for modes with a {@link Constraint}.
 * Cost of an iteration: {@code O(order nnz R)}.
 */
public final class CpdRun extends ModelRun<CpdRun, CpModel> {
  private final int rank;
  private boolean nonnegative;
  private final Map<Integer, org.weft.decomposition.constraint.Constraint> constraints =
      new HashMap<>();
  private double ridge;

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
    constraints.put(mode, constraint.rule());
    return this;
  }

  /**
   * As above.
   *
   * @param mode one of {@link Tensor#modes}
   * @throws org.weft.error.WeftException {@code USAGE} for a name that no mode has
   */
  public CpdRun constrain(String mode, Constraint constraint) {
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

  @Override
  CpModel model(ProgressListener progress) {
    Cpd cpd =
        new Cpd(
            rank,
            iterations(),
            tolerance(),
            nonnegative,
            seed(),
            ValueType.DOUBLE,
            constraints,
            ridge);
    CpdResult result = engine().cpd(tensor().packable(), cpd, progress);
    return new CpModel(
        factors(result.factors(), new CpValue(result.lambda())),
        summary(
            tensor().packable(),
            RunSummary.method(cpd),
            result.norm(),
            result.fits(),
            result.seconds(),
            result.converged(),
            Map.of("lambda", result.lambda()),
            result.report()));
  }
}
