package org.weft.jobs;

/** {@code weft ingest} in this process: days are added by their labels, as on Spark. */
final class IngestAppendHereTest extends IngestAppendTest {
  @Override
  boolean isOnSpark() {
    return false;
  }
}
