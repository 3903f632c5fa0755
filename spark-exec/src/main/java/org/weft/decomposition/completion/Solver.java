package org.weft.decomposition.completion;

import java.util.List;
import java.util.Optional;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.planner.job.RowStatement;

/** How {@link Completion} improves its factors, sweep by sweep. */
public sealed interface Solver permits NormalSolver, CoordinateSolver, GradientSolver {
  /** Statements that a sweep runs on the entries; they come first in the job. */
  List<RowStatement> statements(int order, int columns);

  /** Numbers for each slice of a mode, beside those of the model and of the best one. */
  int numbers(int columns);

  /** What numbers for a slice are, for people. */
  String about();

  /** Weight of a missing cell, which counts as 0, where an entry has 1: 0 if it is unknown. */
  default double missing() {
    return 0;
  }

  /**
   * Begins a run.
   *
   * @param start the state from which the model goes on
   */
  Sweep begin(CompletedFactors model, Optional<MethodState<RowSource>> start);

  /** One sweep over all modes. */
  interface Sweep {
    /**
     * Improves the factors.
     *
     * @param number counts from 1
     * @param errors at the training entries after the sweeps before
     * @return the error after this one
     */
    double run(int number, List<Double> errors);

    /** Adds what the next sweep depends on, beside the model. */
    default MethodState<Rows> save(MethodState<Rows> state) {
      return state;
    }
  }
}
