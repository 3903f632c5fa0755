package org.weft.jobs;

/** {@code weft ingest} in this process: unusual tables, as on Spark. */
final class IngestEdgesHereTest extends IngestEdgesTest {
  @Override
  boolean isOnSpark() {
    return false;
  }
}
