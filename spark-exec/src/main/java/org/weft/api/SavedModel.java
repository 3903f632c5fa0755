package org.weft.api;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.model.CpValue;
import org.weft.spark.model.FactorModel;
import org.weft.spark.model.TableModel;
import org.weft.spark.model.TuckerValue;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelFolder;
import org.weft.storage.model.ModelOutput;
import org.weft.storage.model.ModelSummary;

/** Writes and reads a model as a folder, in the form of the commands. */
final class SavedModel {
  private SavedModel() {}

  static void write(ModelFactors model, ModelSummary summary, String uri, boolean overwrite) {
    FileAccess files = model.weft().engine().files();
    try {
      ModelOutput.check(files, uri, overwrite);
      Map<String, Object> types = new LinkedHashMap<>();
      for (int mode = 0; mode < model.modes().size(); mode++) {
        Source.ModeLabels known = model.labels().get(mode);
        if (known.table() != null) {
          requireText(model.modes().get(mode), known.type());
          types.put("" + mode, known.type().sql());
        }
      }
      try (ModelOutput.Staged folder = new ModelOutput(files, uri, overwrite).begin()) {
        folder.factors(model.model().factors());
        folder.finish(
            model.value() instanceof TuckerValue tucker
                ? ModelOutput.Coupling.core(tucker.core(), tucker.ranks())
                : ModelOutput.Coupling.lambda(((CpValue) model.value()).lambda()),
            Source.ModeLabels.text(model.labels()),
            summary.with(ModelFolder.LABEL_TYPES, types));
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private static void requireText(String mode, DataType type) {
    if (!Source.ModeLabels.isRead(type)) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          "mode "
              + mode
              + ": expected labels that text can hold, found "
              + type.simpleString()
              + "; decompose a table with a column of text in its place");
    }
  }

  static TensorModel read(Weft weft, String uri) {
    try {
      ModelFolder folder = ModelFolder.open(weft.engine().files(), uri);
      return switch (folder.method()) {
        case "cpd", "cpapr", "gcp" -> new CpModel(factors(weft, folder), folder.content());
        case "complete" -> new CompletionModel(factors(weft, folder), folder.content());
        case "tucker" -> new TuckerModel(factors(weft, folder), folder.content());
        default ->
            throw new WeftException(
                ErrorCode.MALFORMED_INPUT,
                folder.at("summary.json")
                    + ": expected method cpd, tucker, complete, cpapr or gcp, found "
                    + folder.method());
      };
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private static ModelFactors factors(Weft weft, ModelFolder folder) throws IOException {
    List<Source.ModeLabels> labels = new ArrayList<>();
    for (int mode = 0; mode < folder.order(); mode++) {
      labels.add(labels(weft, folder, mode));
    }
    return new ModelFactors(weft, folder.modeNames(), labels, FactorModel.read(folder));
  }

  /**
   * The labels of a mode. They have the type of the column of the Dataset from which the model was
   * made. The labels of a model of a file are text.
   */
  private static Source.ModeLabels labels(Weft weft, ModelFolder folder, int mode)
      throws IOException {
    Labels listed = folder.labels(mode).orElse(null);
    String type = folder.labelType(mode).orElse(null);
    if (listed == null || type == null || weft.spark() == null) {
      return new Source.ModeLabels(null, listed);
    }
    Dataset<Row> table =
        ModelTables.listed(weft.requireSpark(), listed)
            .withColumn(TableModel.LABEL, Source.ModeLabels.read(type(folder, type)));
    return new Source.ModeLabels(table, null);
  }

  private static DataType type(ModelFolder folder, String name) {
    try {
      return DataType.fromDDL(name);
    } catch (Exception e) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          folder.at("summary.json") + ": expected a type of labels, found " + name,
          e);
    }
  }

  /** A list of numbers of a summary. Numbers that JSON lacks, such as NaN, are text there. */
  static List<Double> numbers(ModelSummary summary, String name) {
    return summary.content().get(name) instanceof List<?> list
        ? list.stream().map(number -> Double.valueOf("" + number)).toList()
        : List.of();
  }

  static double number(ModelSummary summary, String name) {
    return Double.parseDouble("" + summary.content().get(name));
  }
}
