package org.weft.spark.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructType;

/** Takes what Spark pushes down: columns, and the predicates that speak of coordinates alone. */
final class TensorScanBuilder
    implements SupportsPushDownV2Filters, SupportsPushDownRequiredColumns {
  private final OpenTable table;
  private final List<Predicate> pushed = new ArrayList<>();
  private final List<CoordinateFilter> filters = new ArrayList<>();
  private StructType schema;

  TensorScanBuilder(OpenTable table) {
    this.table = table;
    this.schema = table.columns().schema();
  }

  /** Returns those that Spark has to look at; the others are met exactly. */
  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    Predicates translation = new Predicates(table.columns());
    List<Predicate> left = new ArrayList<>();
    for (Predicate predicate : predicates) {
      Optional<CoordinateFilter> filter = translation.translate(predicate);
      if (filter.isPresent()) {
        pushed.add(predicate);
        filters.add(filter.get());
      } else {
        left.add(predicate);
      }
    }
    return left.toArray(Predicate[]::new);
  }

  @Override
  public Predicate[] pushedPredicates() {
    return pushed.toArray(Predicate[]::new);
  }

  @Override
  public void pruneColumns(StructType required) {
    schema = required;
  }

  @Override
  public Scan build() {
    return new TensorScan(table, schema, new CoordinateFilter.All(List.copyOf(filters)), pushed);
  }
}
