package org.weft.decomposition.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.tensor.ValueType;

/**
 * The best model of a run so far: judged by held-out entries, or without them by the cells that it
 * is made of, and copied where its rows lie.
 */
final class BestModel {
  private final CompletedFactors model;
  private final Optional<ModelError> heldOut;
  private final double tolerance;
  private final List<Rows> kept = new ArrayList<>();
  private final List<Double> rmse = new ArrayList<>();
  private final List<Double> judged = new ArrayList<>();
  private double least = Double.POSITIVE_INFINITY;
  private int iteration;

  /**
   * @param tolerance by which an error has to fall to be better, relative
   * @param start the state to go on from
   */
  BestModel(
      CompletedFactors model,
      Optional<ModelError> heldOut,
      double tolerance,
      Optional<MethodState<RowSource>> start) {
    Site site = model.site();
    ValueType type = model.factor(0).type();
    this.model = model;
    this.heldOut = heldOut;
    this.tolerance = tolerance;
    start.ifPresent(
        state -> {
          kept.addAll(MethodState.at(site, state, "best", type));
          rmse.addAll(state.list("rmse"));
          judged.addAll(state.list("judged"));
          least = state.number("least");
          iteration = (int) state.number("iteration");
        });
    for (int mode = kept.size(); mode < site.shape().order(); mode++) {
      kept.add(site.rows(mode, model.columns(), type));
    }
  }

  /** Adds the model, and all errors. */
  MethodState<Rows> save(MethodState<Rows> state) {
    return state
        .rows("best", kept)
        .numbers("rmse", rmse)
        .numbers("judged", judged)
        .numbers("least", least)
        .numbers("iteration", iteration);
  }

  /**
   * The fit, by the entries that decide; keeps the model if it is better than those before.
   *
   * @param trained the error at the training entries
   */
  double judge(int sweep, double trained) {
    List<Rows> factors = model.factors();
    rmse.add(trained);
    heldOut.ifPresent(held -> judged.add(held.rmse(factors)));
    double now = heldOut.isPresent() ? judged.get(sweep - 1) : model.error(trained);
    Sweeps.requireFinite("the error after iteration " + sweep, now, model.site(), factors);
    if (now < least * (1 - tolerance) || iteration == 0) {
      least = now;
      iteration = sweep;
      CpFactors.copy(model.site(), model.algebra(), kept, factors);
    }
    double scale = heldOut.orElse(model.training()).scale();
    return scale == 0 ? 1 : 1 - now / scale;
  }

  List<Rows> factors() {
    return kept;
  }

  /** That it is of, from 1; 0 before any. */
  int iteration() {
    return iteration;
  }

  /** At the entries that decide. */
  double error() {
    return least;
  }

  /** Of the training entries, after each iteration. */
  List<Double> rmse() {
    return rmse;
  }

  /** Of the held-out entries, after each iteration; empty without any. */
  List<Double> heldOut() {
    return judged;
  }
}
