package org.weft.spark.table;

import com.google.auto.service.AutoService;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.ContainerOptions;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.Container;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/**
 * The data source {@code format("weft")}. It reads a version of a container as a table with a
 * column for each mode and a column of values. It writes such a table as a container, or appends
 * the table to a container as the next version.
 */
@AutoService(DataSourceRegister.class)
public final class WeftSource extends TensorSource {
  private static final Set<String> READ =
      Set.of(
          TableOptions.PATH,
          TableOptions.VERSION,
          TableOptions.LABELS,
          TableOptions.MODES,
          TableOptions.VALUE,
          TableOptions.BASE,
          TableOptions.NONFINITE);

  private static final Set<String> WRITE =
      Set.of(
          TableOptions.PATH,
          TableOptions.MODES,
          TableOptions.VALUE,
          TableOptions.BASE,
          TableOptions.NONFINITE,
          TableOptions.SHAPE,
          TableOptions.SORT,
          TableOptions.MODE_ORDER,
          TableOptions.PART_ENTRIES,
          TableOptions.COMPRESSED,
          TableOptions.BATCH,
          TableOptions.REPLACE_BATCH,
          TableOptions.LABELS + ".");

  @Override
  public String shortName() {
    return "weft";
  }

  @Override
  Set<String> readOptions() {
    return READ;
  }

  /** A column of text that the caller's schema has for a mode asks for the labels of the mode. */
  @Override
  Map<String, String> named(Map<String, String> options, StructType schema) {
    Set<String> names = Set.of(schema.fieldNames());
    boolean wants =
        Stream.of(schema.fields())
            .filter(field -> field.dataType() instanceof StringType)
            .map(StructField::name)
            .anyMatch(name -> !names.contains(TensorColumns.coordinates(name)));
    if (!wants || options.keySet().stream().anyMatch(TableOptions.LABELS::equalsIgnoreCase)) {
      return options;
    }
    Map<String, String> named = new HashMap<>(options);
    named.put(TableOptions.LABELS, "only");
    return named;
  }

  @Override
  boolean exists(FileAccess files, TableOptions options, String path) {
    requireContainer(options, path);
    return present(files, path).isPresent();
  }

  @Override
  Set<DataType> valueTypes() {
    return Set.of(
        DataTypes.DoubleType, DataTypes.FloatType, DataTypes.LongType, DataTypes.IntegerType);
  }

  @Override
  Set<DataType> modeTypes() {
    return Set.of(DataTypes.LongType, DataTypes.IntegerType, DataTypes.StringType);
  }

  @Override
  Set<String> writeOptions() {
    return WRITE;
  }

  @Override
  InputPlan open(FileAccess files, TableOptions options, String path) {
    requireContainer(options, path);
    OptionalLong version = options.number(TableOptions.VERSION, 1);
    String uri =
        version.isPresent() ? path.replaceAll("/+$", "") + "@" + version.getAsLong() : path;
    return TensorFiles.open(files, uri, options.readOptions());
  }

  static void requireContainer(TableOptions options, String path) {
    TensorFiles.requireKnownExtension(path);
    if (!TensorFiles.extensionOf(path).equals(".weft")) {
      throw options.wrong(
          path + ": expected a folder that ends in .weft; format 'frostt' reads and writes text");
    }
  }

  @Override
  void write(
      FileAccess files, String path, SaveMode mode, TableOptions options, Dataset<Row> data) {
    requireContainer(options, path);
    if (options.labels() == TableOptions.LabelView.BESIDE
        || options.number(TableOptions.VERSION, 1).isPresent()) {
      throw options.wrong(
          path
              + ": expected a table without the options labels=true and version to write to, which are"
              + " for reading; make a table without them, or with labels=only to write labels");
    }
    Optional<Container> present = present(files, path);
    if (mode == SaveMode.Ignore && present.isPresent()) {
      return;
    }
    boolean append = mode == SaveMode.Append && present.isPresent();
    WriteColumns.Target target =
        append ? new WriteColumns.Target.Grown(present.get()) : new WriteColumns.Target.Made();
    WriteColumns columns = WriteColumns.of(path, data.schema(), options, target);
    String batch = options.batch();
    boolean replaced = options.flag(TableOptions.REPLACE_BATCH, false);
    if (append && !replaced && present.get().batches().contains(batch)) {
      System.getLogger(WeftSource.class.getName())
          .log(System.Logger.Level.INFO, "{0}: batch {1} is there already", path, batch);
      return;
    }
    Existing existing =
        append ? Existing.APPEND : mode == SaveMode.Overwrite ? Existing.REPLACE : Existing.REFUSE;
    WriteOptions written = writeOptions(files, options, columns, append);
    try (ParallelContainer made = ParallelContainer.begin(files, path, existing)) {
      ContainerWriter.write(data, columns, options.flag(TableOptions.SORT, true), made, written);
    }
  }

  private static Optional<Container> present(FileAccess files, String path) {
    try {
      return Optional.of(Container.open(files, path));
    } catch (WeftException e) {
      if (e.code() == ErrorCode.INPUT_NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private WriteOptions writeOptions(
      FileAccess files, TableOptions options, WriteColumns columns, boolean append) {
    ContainerOptions container =
        ContainerOptions.defaults()
            .withValueType(columns.type())
            .withCompressed(options.flag(TableOptions.COMPRESSED, true))
            .withPartEntries((int) options.number(TableOptions.PART_ENTRIES, 1).orElse(0))
            .withBatch(options.batch(), options.flag(TableOptions.REPLACE_BATCH, false))
            .withProvenance("a table of Spark", "format('weft')", "");
    if (!append) {
      container = container.withModeNames(columns.modes()).withModeOrder(options.modeOrder());
    }
    Map<Integer, Labels> labels = new HashMap<>();
    options
        .labelFiles()
        .forEach(
            (mode, file) -> {
              int number = columns.modes().indexOf(mode);
              if (number < 0) {
                throw options.wrong(
                    "expected labels of one of the modes "
                        + columns.modes()
                        + ", found labels."
                        + mode);
              }
              labels.put(number, Labels.read(files, file));
            });
    WriteOptions written = WriteOptions.defaults().withContainer(container).withLabels(labels);
    TensorShape shape = columns.shape();
    return shape == null ? written : written.withShape(shape);
  }
}
