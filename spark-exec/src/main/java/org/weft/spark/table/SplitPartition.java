package org.weft.spark.table;

import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * A split to read and the hosts that have it.
 *
 * @param split number in the plan
 */
record SplitPartition(int split, List<String> hosts) implements InputPartition {
  @Override
  public String[] preferredLocations() {
    return hosts.toArray(String[]::new);
  }
}
