package org.weft.spark.table;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.V1Write;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A tensor as a table to read and to insert into. */
final class TensorTable implements SupportsRead, SupportsWrite {
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

  /**
   * {@code V1_BATCH_WRITE}, for {@code INSERT}, but not {@code BATCH_WRITE}: Spark would then
   * refuse half of the save modes, which it now leaves to {@link TensorSource#createRelation}.
   */
  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(
        TableCapability.BATCH_READ, TableCapability.V1_BATCH_WRITE, TableCapability.TRUNCATE);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap ignored) {
    OpenTable table = source.open(source.named(options, schema));
    return new TensorScanBuilder(table.as(schema));
  }

  /** {@code INSERT INTO} appends; {@code INSERT OVERWRITE} truncates first, which is replacing. */
  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    source.checkInsert(options);
    Map<String, String> all = new HashMap<>(options);
    all.putAll(info.options().asCaseSensitiveMap());
    return new Insertion(source, all, SaveMode.Append);
  }

  private record Insertion(TensorSource source, Map<String, String> options, SaveMode mode)
      implements SupportsTruncate {
    @Override
    public WriteBuilder truncate() {
      return new Insertion(source, options, SaveMode.Overwrite);
    }

    @Override
    public Write build() {
      return new V1Write() {
        @Override
        public InsertableRelation toInsertableRelation() {
          return (data, ignored) -> source.insert(options, mode, data);
        }
      };
    }
  }
}
