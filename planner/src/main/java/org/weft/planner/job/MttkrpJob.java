package org.weft.planner.job;

import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Matricised tensor times Khatri-Rao product: {@code M = X_(mode) (F_N (.) ... (.) F_0)} over all
 * factors but that of {@code mode}. Result: {@code M: I_mode x rank}, dense.
 */
public record MttkrpJob(int mode, int rank, ValueType valueType) implements Job {
  public MttkrpJob {
    Job.requireMode("mttkrp", mode);
    Job.requireRank("mttkrp", rank);
    Job.requireFloating("mttkrp", valueType);
  }

  @Override
  public String name() {
    return "mttkrp";
  }

  @Override
  public void checkAppliesTo(TensorShape shape) {
    Job.requireModeOf(name(), mode, shape);
  }
}
