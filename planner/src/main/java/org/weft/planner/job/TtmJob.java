package org.weft.planner.job;

import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Tensor times matrix along {@code mode} with {@code U: I_mode x rank}. Result: semi-sparse, the
 * other modes of the tensor compressed and then a dense mode of size {@code rank}; {@code rank} for
 * a tensor of order 1.
 */
public record TtmJob(int mode, int rank, ValueType valueType) implements Job {
  public TtmJob {
    Job.requireMode("ttm", mode);
    Job.requireRank("ttm", rank);
    Job.requireFloating("ttm", valueType);
  }

  @Override
  public String name() {
    return "ttm";
  }

  @Override
  public void checkAppliesTo(TensorShape shape) {
    Job.requireModeOf(name(), mode, shape);
  }
}
