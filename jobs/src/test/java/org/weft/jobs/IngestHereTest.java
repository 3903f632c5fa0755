package org.weft.jobs;

/** {@code weft ingest} in this process: what tables become, as on Spark. */
final class IngestHereTest extends IngestCommandTest {
  @Override
  boolean isOnSpark() {
    return false;
  }
}
