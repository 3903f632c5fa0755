package org.weft.it.nightly;

import org.weft.it.cluster.RunningSubmission;
import org.weft.it.cluster.TestCluster;

/** A process that dies during a night. */
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
   * @return whether there was one
   */
  boolean kill(TestCluster cluster, RunningSubmission workflow) {
    switch (this) {
      case EXECUTOR -> {
        return cluster.killWorkerExecutor();
      }
      case WORKER -> cluster.killWorker();
      case DATA_NODE -> cluster.killDataNode();
      case STEP -> {
        return workflow.killBelow("org.weft.jobs.Weft");
      }
      case WORKFLOW -> workflow.kill();
    }
    return true;
  }
}
