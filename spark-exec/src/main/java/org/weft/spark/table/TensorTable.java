package org.weft.spark.table;

import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** A tensor as a table to read. */
final class TensorTable implements SupportsRead {
  private final TensorSource source;
  private final StructType schema;
  private final Map<String, String> options;

  TensorTable(TensorSource source, StructType schema, Map<String, String> options) {
    this.source = source;
    this.schema = schema;
    this.options = options;
  }

  @Override
  public String name() {
    return source.shortName() + " " + options.getOrDefault(TableOptions.PATH, "");
  }

  @Override
  @SuppressWarnings("deprecation") // the replacement takes columns, which are made from this
  public StructType schema() {
    return schema;
  }

  /** No {@code BATCH_WRITE}: Spark then writes by {@link TensorSource#createRelation}. */
  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(TableCapability.BATCH_READ);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap ignored) {
    OpenTable table = source.open(options);
    StructType found = table.columns().schema();
    boolean same = found.size() == schema.size();
    for (int i = 0; same && i < found.size(); i++) {
      StructField expected = schema.fields()[i];
      StructField field = found.fields()[i];
      same = field.name().equals(expected.name()) && field.dataType().equals(expected.dataType());
    }
    if (!same) {
      throw new WeftException(
          ErrorCode.USAGE,
          table.plan().uri()
              + ": expected the schema "
              + found.toDDL()
              + ", which the tensor has, found "
              + schema.toDDL()
              + "; leave the schema out, or name columns with the options modes and value");
    }
    return new TensorScanBuilder(table);
  }
}
