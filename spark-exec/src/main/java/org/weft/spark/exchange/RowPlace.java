package org.weft.spark.exchange;

import java.io.Serializable;

/**
 * A process that has rows.
 *
 * @param executor as Spark calls it
 * @param host that answers questions
 * @param port of the host; 0 where all rows are in one process, which asks nobody
 */
public record RowPlace(String executor, String host, int port) implements Serializable {
  /** As Spark names where tasks would best run. */
  public String location() {
    return "executor_" + host + "_" + executor;
  }
}
