package org.weft.spark.table;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;
import org.weft.text.Counts;

/** One reading of a tensor: a partition for each split that may hold what is asked for. */
final class TensorScan implements Scan, Batch, SupportsReportStatistics {
  private final OpenTable table;
  private final StructType schema;
  private final CoordinateFilter.All filter;
  private final List<Predicate> pushed;
  private final List<Integer> splits;

  TensorScan(
      OpenTable table, StructType schema, CoordinateFilter.All filter, List<Predicate> pushed) {
    this.table = table;
    this.schema = schema;
    this.filter = filter;
    this.pushed = pushed;
    this.splits =
        IntStream.range(0, table.splits())
            .filter(split -> filter.mayPass(table.ranges(split)))
            .boxed()
            .toList();
  }

  @Override
  public StructType readSchema() {
    return schema;
  }

  @Override
  public String description() {
    return table.plan().uri()
        + ", "
        + splits.size()
        + " of "
        + Counts.plain(table.splits(), "part")
        + ", PushedFilters: ["
        + pushed.stream().map(Predicate::toString).collect(Collectors.joining(", "))
        + "]";
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    return splits.stream()
        .map(split -> new SplitPartition(split, table.hosts(split)))
        .toArray(InputPartition[]::new);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new SplitReaders(table, table.columns().of(schema), filter);
  }

  @Override
  public Statistics estimateStatistics() {
    long rows = 0;
    boolean counted = true;
    long rowBytes = 8L * (schema.size() + 1);
    long fileBytes = 0;
    for (int split : splits) {
      OptionalLong entries = table.entries(split);
      counted &= entries.isPresent();
      rows += entries.orElse(0);
      fileBytes += table.plan().splits().get(split).length();
    }
    OptionalLong numRows = counted ? OptionalLong.of(rows) : OptionalLong.empty();
    OptionalLong bytes = OptionalLong.of(counted ? rows * rowBytes : fileBytes);
    return new Statistics() {
      @Override
      public OptionalLong sizeInBytes() {
        return bytes;
      }

      @Override
      public OptionalLong numRows() {
        return numRows;
      }
    };
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return new CustomMetric[] {
      new ScanMetrics.PartsRead(), new ScanMetrics.PartsPruned(), new ScanMetrics.EntriesRead()
    };
  }

  @Override
  public CustomTaskMetric[] reportDriverMetrics() {
    List<CustomTaskMetric> metrics = new ArrayList<>();
    metrics.add(new ScanMetrics.Value(ScanMetrics.PARTS_READ, splits.size()));
    metrics.add(new ScanMetrics.Value(ScanMetrics.PARTS_PRUNED, table.splits() - splits.size()));
    return metrics.toArray(CustomTaskMetric[]::new);
  }
}
