package org.weft.spark.output;

import org.apache.spark.TaskContext;

/** Names for the files of attempts at a task. */
public final class TaskAttempt {
  private TaskAttempt() {}

  /** Empty for the first attempt, so that undisturbed runs name their files alike. */
  public static String suffix() {
    TaskContext task = TaskContext.get();
    boolean first = task.attemptNumber() == 0 && task.stageAttemptNumber() == 0;
    return first ? "" : "-" + task.stageAttemptNumber() + "." + task.attemptNumber();
  }
}
