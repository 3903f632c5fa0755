package org.weft.spark.table;

import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;
import org.weft.spark.Failures;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What the sources share: tables to read are found when their schema is asked for, and keep that
 * version; tables to write are made by {@link #createRelation}. Spark makes an object for every use
 * of a source.
 */
abstract class TensorSource
    implements TableProvider, DataSourceRegister, CreatableRelationProvider {
  private @Nullable OpenTable opened;
  private Map<String, String> openedWith = Map.of();

  /** Options for reading. */
  abstract Set<String> readOptions();

  /** Finds the tensor. */
  abstract InputPlan open(FileAccess files, TableOptions options, String path);

  /** Writes {@code data}. */
  abstract void write(
      FileAccess files, SaveMode mode, Map<String, String> options, Dataset<Row> data);

  static FileAccess files(SparkSession session) {
    return FileAccess.of(session.sparkContext().hadoopConfiguration());
  }

  final OpenTable open(Map<String, String> given) {
    OpenTable present = opened;
    if (present != null && openedWith.equals(given)) {
      return present;
    }
    TableOptions options = TableOptions.of(shortName(), given, readOptions());
    FileAccess files = files(SparkSession.active());
    InputPlan plan = open(files, options, options.path(files.configuration()));
    OpenTable found = new OpenTable(files, plan, OpenTable.columns(plan, options));
    opened = found;
    openedWith = Map.copyOf(given);
    return found;
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return open(options.asCaseSensitiveMap()).columns().schema();
  }

  /** Does not look for the tensor yet: it may be about to be written. */
  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new TensorTable(this, schema, Map.copyOf(properties));
  }

  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }

  @Override
  public BaseRelation createRelation(
      SQLContext context,
      SaveMode mode,
      scala.collection.immutable.Map<String, String> parameters,
      Dataset<Row> data) {
    try {
      write(files(context.sparkSession()), mode, CollectionConverters.asJava(parameters), data);
    } catch (Exception e) {
      throw Failures.unwrap(e); // Spark's are checked but undeclared
    }
    StructType schema = data.schema();
    return new BaseRelation() {
      @Override
      public SQLContext sqlContext() {
        return context;
      }

      @Override
      public StructType schema() {
        return schema;
      }
    };
  }
}
