package org.weft.planner.job;

import java.io.Serializable;
import java.util.List;
import org.weft.compiler.KernelRequest;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** One operation on one sparse tensor. Modes count from 0. */
public sealed interface Job extends Serializable permits MttkrpJob, TtmJob, TtvJob, RowsJob {

  /** Name for people and logs: {@code mttkrp}, {@code ttm}, {@code ttv}, {@code cpd}, ... */
  String name();

  /** Type of the tensor's values and of the kernel's arithmetic. */
  ValueType valueType();

  /** How often its passes run at most. */
  default int iterations() {
    return 1;
  }

  /** Kernels of dense algebra that are compiled with those of its passes. */
  default List<KernelRequest> algebra() {
    return List.of();
  }

  /**
   * Checks that the job applies to a tensor of this shape.
   *
   * @throws WeftException USAGE when the mode does not exist or the order is 0
   */
  void checkAppliesTo(TensorShape shape);

  /** The shared checks of the records. */
  static void requireMode(String job, int mode) {
    if (mode < 0) {
      throw new WeftException(
          ErrorCode.USAGE, job + ": modes count from 0, found mode " + mode + "; give a mode >= 0");
    }
  }

  static void requireRank(String job, int rank) {
    if (rank < 1) {
      throw new WeftException(
          ErrorCode.USAGE, job + ": expected a rank of at least 1, found " + rank);
    }
  }

  static void requireFloating(String job, ValueType type) {
    if (type != ValueType.DOUBLE && type != ValueType.FLOAT) {
      throw new WeftException(
          ErrorCode.USAGE, job + ": expected value type double or float, found " + type.keyword());
    }
  }

  static void requireModeOf(String job, int mode, TensorShape shape) {
    if (mode >= shape.order()) {
      throw new WeftException(
          ErrorCode.USAGE,
          job
              + ": mode "
              + mode
              + " does not exist in a tensor of order "
              + shape.order()
              + " ("
              + shape
              + "); modes count from 0, so the last one is "
              + (shape.order() - 1));
    }
  }
}
