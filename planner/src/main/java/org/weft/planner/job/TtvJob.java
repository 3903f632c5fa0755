package org.weft.planner.job;

import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Tensor times vector along {@code mode}. Result: sparse, the other modes of the tensor; a scalar
 * for a tensor of order 1.
 */
public record TtvJob(int mode, ValueType valueType) implements Job {
  public TtvJob {
    Job.requireMode("ttv", mode);
    Job.requireFloating("ttv", valueType);
  }

  @Override
  public String name() {
    return "ttv";
  }

  @Override
  public void checkAppliesTo(TensorShape shape) {
    Job.requireModeOf(name(), mode, shape);
  }
}
