package org.weft.spark.table;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
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
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.Failures;
import org.weft.storage.InputPlan;
import org.weft.storage.file.FileAccess;
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
  private boolean declares;

  /** Options for reading. */
  abstract Set<String> readOptions();

  /** Options for writing. */
  abstract Set<String> writeOptions();

  /** The options of a table to read, with the names of its modes if the tensor has none. */
  abstract Map<String, String> named(Map<String, String> options, StructType schema);

  /** Whether something is at {@code path}, which is checked. */
  abstract boolean exists(FileAccess files, TableOptions options, String path);

  /** Types that values of a new table may have. */
  abstract Set<DataType> valueTypes();

  /** Types that the columns of modes of a new table may have. */
  abstract Set<DataType> modeTypes();

  /** Finds the tensor. */
  abstract InputPlan open(FileAccess files, TableOptions options, String path);

  /** Writes {@code data}. */
  abstract void write(
      FileAccess files, String path, SaveMode mode, TableOptions options, Dataset<Row> data);

  static FileAccess files(SparkSession session) {
    return FileAccess.of(session.sparkContext().hadoopConfiguration());
  }

  final OpenTable open(Map<String, String> given) {
    OpenTable present = opened;
    if (present != null && openedWith.equals(given)) {
      return present;
    }
    TableOptions options =
        isOfCatalog(given) ? ofCatalog(given) : TableOptions.of(shortName(), given, readOptions());
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

  /** Whether a table is one of a catalog, which keeps options for reading and for writing. */
  private static boolean isOfCatalog(Map<String, String> given) {
    return given.keySet().stream().anyMatch("provider"::equalsIgnoreCase);
  }

  private TableOptions ofCatalog(Map<String, String> given) {
    Set<String> known = new HashSet<>(readOptions());
    known.addAll(writeOptions());
    TableOptions options = TableOptions.of(shortName(), given, known);
    if (!new Path(options.givenPath()).isUriPathAbsolute()) {
      throw options.wrong(
          options.givenPath()
              + ": expected an absolute path or a URI, because catalogs have a folder of their own,"
              + " found a relative path");
    }
    return options;
  }

  /** Spark asks when a table is made, in a catalog or for a use; {@link #getTable} follows. */
  @Override
  public Transform[] inferPartitioning(CaseInsensitiveStringMap options) {
    declares = isOfCatalog(options) && opened == null;
    return new Transform[0];
  }

  /** Does not look for the tensor yet: it may be about to be written. */
  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    Map<String, String> given = Map.copyOf(properties);
    if (partitioning.length > 0 && isOfCatalog(given)) {
      throw ofCatalog(given).wrong("expected no PARTITIONED BY: a tensor has no such columns");
    }
    if (declares) {
      requireNew(schema, ofCatalog(given));
    }
    return new TensorTable(this, schema, given);
  }

  /**
   * {@code CREATE TABLE} with columns, or with a query that Spark is about to insert: of a tensor
   * that is there already, {@code AS SELECT} would add to its values.
   */
  private void requireNew(StructType schema, TableOptions options) {
    options.requireNoBatch();
    FileAccess files = files(SparkSession.active());
    String path = options.path(files.configuration());
    for (StructField field : schema.fields()) {
      boolean value = field.name().equalsIgnoreCase(options.value());
      Set<DataType> expected = value ? valueTypes() : modeTypes();
      if (!expected.contains(field.dataType())) {
        throw options.wrong(
            path
                + ": column '"
                + field.name()
                + "': expected "
                + expected.stream()
                    .map(TensorSource::sql)
                    .sorted()
                    .collect(Collectors.joining(", "))
                + (value
                    ? ""
                    : ", as columns of modes have (the option value names another value column)")
                + ", found "
                + sql(field.dataType())
                + "; cast it");
      }
    }
    if (exists(files, options, path)) {
      throw new WeftException(
          ErrorCode.OUTPUT_EXISTS,
          path
              + ": expected no tensor to make a table with these columns, found one; CREATE TABLE t"
              + " USING "
              + shortName()
              + " OPTIONS (path '...') without columns or query takes it as it is, INSERT"
              + " OVERWRITE then replaces it");
    }
  }

  private static String sql(DataType type) {
    return type.sql().toLowerCase(Locale.ROOT);
  }

  /** Before {@code INSERT}: the options of the table itself. */
  final void checkInsert(Map<String, String> ofTable) {
    if (isOfCatalog(ofTable)) {
      ofCatalog(ofTable).requireNoBatch();
    }
  }

  /** {@code INSERT}. */
  final void insert(Map<String, String> given, SaveMode mode, Dataset<Row> data) {
    TableOptions options =
        isOfCatalog(given) ? ofCatalog(given) : TableOptions.of(shortName(), given, writeOptions());
    write(files(data.sparkSession()), mode, options, data);
  }

  private void write(FileAccess files, SaveMode mode, TableOptions options, Dataset<Row> data) {
    try {
      write(files, options.path(files.configuration()), mode, options, data);
    } catch (Exception e) {
      throw Failures.unwrap(e); // Spark's are checked but undeclared
    }
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
    Map<String, String> given = CollectionConverters.asJava(parameters);
    write(
        files(context.sparkSession()),
        mode,
        TableOptions.of(shortName(), given, writeOptions()),
        data);
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
