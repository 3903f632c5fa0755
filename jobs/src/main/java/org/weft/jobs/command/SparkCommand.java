package org.weft.jobs.command;

/** A command that runs on Spark where {@code --master} names one. */
public abstract class SparkCommand extends WeftCommand {
  @Override
  protected final boolean runsOnSpark() {
    return true;
  }
}
