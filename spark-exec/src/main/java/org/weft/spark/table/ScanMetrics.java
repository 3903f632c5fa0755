package org.weft.spark.table;

import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/** What a scan did, as Spark's SQL page shows it. */
public final class ScanMetrics {
  static final String PARTS_READ = "partsRead";
  static final String PARTS_PRUNED = "partsPruned";
  static final String ENTRIES_READ = "entriesRead";

  private ScanMetrics() {}

  /** Parts or splits that tasks opened. Public, as the others, because Spark makes it by name. */
  public static final class PartsRead extends CustomSumMetric {
    @Override
    public String name() {
      return PARTS_READ;
    }

    @Override
    public String description() {
      return "parts read";
    }
  }

  /** Parts whose ranges of coordinates showed that they hold nothing that is asked for. */
  public static final class PartsPruned extends CustomSumMetric {
    @Override
    public String name() {
      return PARTS_PRUNED;
    }

    @Override
    public String description() {
      return "parts pruned";
    }
  }

  /** Entries that tasks looked at, before the filter of coordinates. */
  public static final class EntriesRead extends CustomSumMetric {
    @Override
    public String name() {
      return ENTRIES_READ;
    }

    @Override
    public String description() {
      return "entries read";
    }
  }

  record Value(String name, long value) implements CustomTaskMetric {}
}
