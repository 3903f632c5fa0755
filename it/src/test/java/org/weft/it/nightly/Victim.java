package org.weft.it.nightly;

import org.weft.it.cluster.RunningSubmission;
import org.weft.it.cluster.TestCluster;

/** A process that dies during a night. Those that others depend on are last. */
enum Victim {
  EXECUTOR,
  WORKER,
  DATA_NODE,
  /** The command that a step of the workflow runs: a driver of Spark. */
  STEP,
  /** The command that runs the workflow. */
  WORKFLOW;

  /**
   * Kills one such process with SIGKILL.
   *
   * @param node which of the two that the cluster has
   * @return whether there was one
   */
  boolean kill(TestCluster cluster, RunningSubmission workflow, int node) {
    return switch (this) {
      case EXECUTOR -> cluster.killWorkerExecutor(node);
      case WORKER -> cluster.killWorker(node);
      case DATA_NODE -> cluster.killDataNode(node);
      case STEP -> workflow.killBelow("org.weft.jobs.Weft");
      case WORKFLOW -> workflow.kill();
    };
  }

  boolean isDriver() {
    return this == STEP || this == WORKFLOW;
  }
}
