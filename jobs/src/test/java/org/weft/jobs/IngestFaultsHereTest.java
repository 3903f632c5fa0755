package org.weft.jobs;

/** {@code weft ingest} in this process: what goes wrong, as on Spark. */
final class IngestFaultsHereTest extends IngestFaultsTest {
  @Override
  boolean isOnSpark() {
    return false;
  }
}
