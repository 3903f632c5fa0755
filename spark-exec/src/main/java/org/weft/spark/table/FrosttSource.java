package org.weft.spark.table;

import com.google.auto.service.AutoService;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.TensorFiles;
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
  void write(FileAccess files, SaveMode mode, Map<String, String> given, Dataset<Row> data) {
    TableOptions options = TableOptions.of(shortName(), given, WRITE);
    String path = options.path(files.configuration());
    requireFile(options, path);
    if (mode == SaveMode.Append) {
      throw options.wrong(path + ": files do not grow; append to a folder .weft as 'weft'");
    }
    WriteColumns columns =
        WriteColumns.of(path, data.schema(), options, List.of(), ValueType.DOUBLE);
    boolean overwrite = mode == SaveMode.Overwrite;
    try {
      TensorFiles.checkOutput(files, path, overwrite);
    } catch (WeftException e) {
      if (mode == SaveMode.Ignore && e.code() == ErrorCode.OUTPUT_EXISTS) {
        return;
      }
      throw e;
    }
    Dataset<Row> selected = columns.select(data);
    new FileWriter(
            files,
            columns,
            Rows.isIntegral(selected),
            overwrite,
            options.flag(TableOptions.ZERO_BASED, false),
            options.flag(TableOptions.EXTENDED_HEADER, false))
        .write(selected, options.flag(TableOptions.SORT, true));
  }
}
