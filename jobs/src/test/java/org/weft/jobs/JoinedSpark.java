package org.weft.jobs;

import org.apache.spark.sql.SparkSession;

/**
 * The Spark session of this process, which {@code weft ingest} joins instead of starting its own.
 */
final class JoinedSpark {
  private JoinedSpark() {}

  /** Starts it unless it is there; results of a job are a quarter of the labels of the largest. */
  static void start() {
    start("1m");
  }

  /** As above, where the results of a job may have the given size. */
  static void start(String maxResultSize) {
    SparkSession.builder()
        .master("local[2,2]") // a task has a second attempt
        .config("spark.driver.host", "localhost")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.maxResultSize", maxResultSize)
        .config("spark.sql.warehouse.dir", "target/spark-warehouse")
        .config("spark.ui.enabled", "false")
        .getOrCreate();
  }

  static void stop() {
    var session = SparkSession.getDefaultSession();
    if (session.isDefined()) {
      session.get().stop();
    }
  }
}
