package org.weft.planner.job;

import java.io.Serializable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;

/**
 * A product of one sparse tensor with dense factors, one for a mode: what one pass over the tensor
 * computes. Modes count from 0.
 */
public sealed interface JobStatement extends Serializable permits RowStatement, FiberStatement {

  /** Name of its kernel, with the mode: a C identifier, unique among the statements of a mode. */
  String name();

  /** The mode whose slices have rows of the result, or whose fibers are summed. */
  int mode();

  /** Cells of the result for each slice or fiber. */
  long cells();

  /**
   * Checks that the statement applies to a tensor of this shape.
   *
   * @throws WeftException USAGE when the mode does not exist or the order is 0
   */
  default void checkAppliesTo(TensorShape shape) {
    if (mode() >= shape.order()) {
      throw new WeftException(
          ErrorCode.USAGE,
          name()
              + ": mode "
              + mode()
              + " does not exist in a tensor of order "
              + shape.order()
              + " ("
              + shape
              + "); modes count from 0, so the last one is "
              + (shape.order() - 1));
    }
  }

  /** The check of a mode by all statements. */
  static void requireMode(String statement, int mode) {
    if (mode < 0) {
      throw new WeftException(
          ErrorCode.USAGE,
          statement + ": modes count from 0, found mode " + mode + "; give a mode of at least 0");
    }
  }

  /** The check of columns by all statements. */
  static void requireRank(String statement, int rank) {
    if (rank < 1) {
      throw new WeftException(
          ErrorCode.USAGE, statement + ": expected a rank of at least 1, found " + rank);
    }
  }
}
