package org.weft.compiler.eval;

import org.weft.error.WeftException;

/**
 * A prepared statement and the tensors that it works on: {@link PreparedStatement#bind}. A run of a
 * statement that is one kernel costs a fraction of a microsecond beyond it. Not thread-safe.
 */
public interface BoundStatement extends AutoCloseable {
  /**
   * Computes the statement into the result, whose former values are lost.
   *
   * @throws WeftException {@code OUT_OF_MEMORY}; then the result is unspecified
   * @throws IllegalStateException if this is closed
   */
  void run();

  /** Ends the loan of the tensors. */
  @Override
  void close();
}
