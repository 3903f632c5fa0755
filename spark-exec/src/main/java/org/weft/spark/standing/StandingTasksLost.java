package org.weft.spark.standing;

/** Tasks that stood by have not done a step. An ordinary Spark job can do it. */
public final class StandingTasksLost extends Exception {
  private static final long serialVersionUID = 1L;

  StandingTasksLost(String what, Throwable cause) {
    super(what, cause);
  }
}
