package org.weft.decomposition.gcp;

import java.util.List;
import java.util.Optional;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;

/** The factors of the iteration with the least loss, to which a model can go back. */
final class BestFactors {
  private final LossModel model;
  private final List<Rows> kept;
  private double least = Double.POSITIVE_INFINITY;
  private int failures;
  private int latest;

  /**
   * Begins with the model's factors.
   *
   * @param start the state to go on from, with the factors
   */
  BestFactors(LossModel model, Optional<MethodState<RowSource>> start) {
    this.model = model;
    this.kept = model.at(start, "kept");
    if (start.isEmpty()) {
      model.copy(kept, model.factors());
    }
    start.ifPresent(
        state -> {
          least = state.number("least");
          failures = (int) state.number("failures");
          latest = (int) state.number("latest failures");
        });
  }

  MethodState<Rows> save(MethodState<Rows> state) {
    return state
        .rows("kept", kept)
        .numbers("least", least)
        .numbers("failures", failures)
        .numbers("latest failures", latest);
  }

  double least() {
    return least;
  }

  /** Iterations whose loss was not the least. */
  int failures() {
    return failures;
  }

  /** Those since the least loss. */
  int latestFailures() {
    return latest;
  }

  /** Keeps the model's factors if their loss is the least. */
  boolean improved(int iteration) {
    double now = model.judged(model.factors());
    if (Double.isFinite(now) && now <= least) {
      least = now;
      latest = 0;
      model.copy(kept, model.factors());
      return true;
    }
    if (least == Double.POSITIVE_INFINITY) {
      model.requireFinite("the loss after iteration " + iteration, now, model.factors());
    }
    failures++;
    latest++;
    return false;
  }

  /** Gives the model the kept factors. */
  void restore() {
    model.copy(model.factors(), kept);
  }
}
