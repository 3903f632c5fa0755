package org.weft.ml;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamValidators;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.param.StringArrayParam;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.model.LabelColumns;

/** The params that estimators and models have, which say what columns of tables mean. */
final class ColumnParams implements Serializable {
  private static final long serialVersionUID = 1L;

  static final String NAN = "nan";
  static final String DROP = "drop";

  private final Params stage;
  final StringArrayParam modes;
  final Param<String> value;
  final Param<String> prediction;
  final Param<String> coldStart;

  ColumnParams(Params stage) {
    this.stage = stage;
    modes = new StringArrayParam(stage, "modeCols", "columns of labels, one for each mode");
    value = new Param<>(stage, "valueCol", "column of values, a number; without it a row counts 1");
    prediction = new Param<>(stage, "predictionCol", "column of the model's value");
    coldStart =
        new Param<>(
            stage,
            "coldStartStrategy",
            "rows with labels that the model lacks: nan or drop",
            ParamValidators.inArray(List.of(NAN, DROP)));
    stage.setDefault(prediction, "prediction");
    stage.setDefault(coldStart, NAN);
  }

  List<String> modeNames() {
    if (!stage.isDefined(modes)) {
      throw usage("expected modeCols, such as setModeCols(\"user\", \"item\"); found none");
    }
    return List.of(stage.getOrDefault(modes));
  }

  String predictionName() {
    return stage.getOrDefault(prediction);
  }

  boolean drops() {
    return stage.getOrDefault(coldStart).equals(DROP);
  }

  /** Checks what an estimator reads; gives what its model writes. */
  StructType fitted(StructType schema) {
    List<String> names = modeNames();
    if (names.size() < 2 || names.stream().distinct().count() < names.size()) {
      throw usage("modeCols: expected two columns or more, each once, found " + names);
    }
    names.forEach(name -> requireLabels(schema, name));
    if (stage.isDefined(value)) {
      String column = stage.getOrDefault(value);
      requireColumn(schema, column);
      LabelColumns.requireNumbers(schema, column);
    }
    return transformed(schema);
  }

  /** Checks what a model reads; gives what it writes. */
  StructType transformed(StructType schema) {
    modeNames().forEach(name -> requireLabels(schema, name));
    if (Arrays.stream(schema.fieldNames()).anyMatch(this::isPrediction)) {
      throw usage(
          "predictionCol: expected a column that is not there, found '" + predictionName() + "'");
    }
    return schema.add(predictionName(), DataTypes.DoubleType);
  }

  /** Whether Spark takes the name of a column for that of the prediction. */
  private boolean isPrediction(String column) {
    return SQLConf.get().caseSensitiveAnalysis()
        ? column.equals(predictionName())
        : column.equalsIgnoreCase(predictionName());
  }

  private static void requireLabels(StructType schema, String name) {
    requireColumn(schema, name);
    LabelColumns.requireLabels(schema, name);
  }

  private static void requireColumn(StructType schema, String name) {
    if (!Arrays.asList(schema.fieldNames()).contains(name)) {
      throw usage(
          "expected a column '" + name + "', found " + String.join(", ", schema.fieldNames()));
    }
  }

  static WeftException usage(String message) {
    return new WeftException(ErrorCode.USAGE, message);
  }
}
