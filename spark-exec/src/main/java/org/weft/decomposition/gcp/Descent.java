package org.weft.decomposition.gcp;

import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.Rows;

/** How {@link Gcp} lowers the loss, iteration by iteration. */
interface Descent {
  /**
   * Runs an iteration.
   *
   * @param number counts from 1
   * @return the least loss so far, which is that of the model's factors
   */
  double iteration(int number);

  /** Iterations or steps that did not lower the loss and were taken back. */
  int failures();

  /** Whether it cannot get further. */
  boolean ended();

  /** Adds what the next iteration depends on, beside the factors. */
  MethodState<Rows> save(MethodState<Rows> state);
}
