package org.weft.spark.table;

import com.google.auto.service.AutoService;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.InputPlan;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.ValueType;

/** {@code format("frostt")}: FROSTT and Matrix Market text, and the other single files. */
@AutoService(DataSourceRegister.class)
public final class FrosttSource extends TensorSource {
  private static final Set<String> READ =
      Set.of(
          TableOptions.PATH,
          TableOptions.MODES,
          TableOptions.VALUE,
          TableOptions.BASE,
          TableOptions.NONFINITE,
          TableOptions.ZERO_BASED,
          TableOptions.HEADER);

  private static final Set<String> WRITE =
      Set.of(
          TableOptions.PATH,
          TableOptions.MODES,
          TableOptions.VALUE,
          TableOptions.BASE,
          TableOptions.NONFINITE,
          TableOptions.ZERO_BASED,
          TableOptions.SHAPE,
          TableOptions.SORT,
          TableOptions.EXTENDED_HEADER);

  @Override
  public String shortName() {
    return "frostt";
  }

  @Override
  Set<String> readOptions() {
    return READ;
  }

  /** Files have no names of modes: columns that a table was given are the modes by number. */
  @Override
  Map<String, String> named(Map<String, String> options, StructType schema) {
    if (options.keySet().stream().anyMatch(TableOptions.MODES::equalsIgnoreCase)) {
      return options;
    }
    String value = TableOptions.of(shortName(), options, options.keySet()).value();
    Map<String, String> named = new HashMap<>(options);
    named.put(
        TableOptions.MODES,
        Stream.of(schema.fieldNames())
            .filter(name -> !name.equals(value))
            .collect(Collectors.joining(",")));
    return named;
  }

  @Override
  boolean exists(FileAccess files, TableOptions options, String path) {
    requireFile(options, path);
    return isPresent(files, path);
  }

  private static boolean isPresent(FileAccess files, String path) {
    try {
      TensorFiles.checkOutput(files, path, false);
      return false;
    } catch (WeftException e) {
      if (e.code() == ErrorCode.OUTPUT_EXISTS) {
        return true;
      }
      throw e;
    }
  }

  /** Those that text is read as. */
  @Override
  Set<DataType> valueTypes() {
    return Set.of(DataTypes.DoubleType);
  }

  @Override
  Set<DataType> modeTypes() {
    return Set.of(DataTypes.LongType, DataTypes.IntegerType);
  }

  @Override
  Set<String> writeOptions() {
    return WRITE;
  }

  @Override
  InputPlan open(FileAccess files, TableOptions options, String path) {
    requireFile(options, path);
    return TensorFiles.open(files, path, options.readOptions());
  }

  static void requireFile(TableOptions options, String path) {
    TensorFiles.requireKnownExtension(path);
    if (TensorFiles.extensionOf(path).equals(".weft")) {
      throw options.wrong(path + ": expected a file, found a folder .weft; read it as 'weft'");
    }
  }

  @Override
  void write(
      FileAccess files, String path, SaveMode mode, TableOptions options, Dataset<Row> data) {
    requireFile(options, path);
    boolean present = isPresent(files, path);
    if (mode == SaveMode.Append && present) {
      throw options.wrong(
          path
              + ": files do not grow; overwrite it (INSERT OVERWRITE), or append to a folder .weft as"
              + " 'weft'");
    }
    if (mode == SaveMode.Ignore && present) {
      return;
    }
    WriteColumns columns =
        WriteColumns.of(
            path, data.schema(), options, new WriteColumns.Target.File(ValueType.DOUBLE));
    boolean overwrite = mode == SaveMode.Overwrite;
    TensorFiles.checkOutput(files, path, overwrite);
    Dataset<Row> selected = columns.select(data);
    new FileWriter(
            files,
            columns,
            InternalRows.isIntegral(selected),
            overwrite,
            options.flag(TableOptions.ZERO_BASED, false),
            options.flag(TableOptions.EXTENDED_HEADER, false))
        .write(selected, options.flag(TableOptions.SORT, true));
  }
}
