package org.weft.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.model.StartRows;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.model.FactorModel;
import org.weft.spark.model.LabelColumns;
import org.weft.spark.model.ModelValue;
import org.weft.spark.model.TableModel;
import org.weft.storage.model.MatchedLabels;
import org.weft.tensor.DenseMatrix;
import org.weft.text.Counts;

/** A model's factors in this process, and what they and the model's value give. */
record ModelFactors(
    Weft weft, List<String> modes, List<Source.ModeLabels> labels, FactorModel model) {
  ModelFactors {
    modes = List.copyOf(modes);
    labels = List.copyOf(labels);
  }

  ModelValue value() {
    return model.value();
  }

  /** Columns {@code mode}, {@code coordinate} and {@code weights}. */
  Dataset<Row> table(String mode) {
    int number = number(mode);
    return ModelTables.factor(
        weft.requireSpark(), mode, model.factors().get(number), labels.get(number));
  }

  double[][] matrix(String mode) {
    return rows(model.factors().get(number(mode)));
  }

  private static double[][] rows(DenseMatrix factor) {
    double[][] rows = new double[Math.toIntExact(factor.rows())][factor.columns()];
    for (int row = 0; row < rows.length; row++) {
      factor.copyRow(row, rows[row], 0);
    }
    return rows;
  }

  double predict(long[] coordinates) {
    if (coordinates.length != modes.size()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "expected a coordinate for each of " + modes + ", found " + coordinates.length);
    }
    for (int mode = 0; mode < coordinates.length; mode++) {
      long rows = model.factors().get(mode).rows();
      if (coordinates[mode] < 0 || coordinates[mode] >= rows) {
        throw new WeftException(
            ErrorCode.COORDINATE_OUT_OF_RANGE,
            modes.get(mode)
                + ": expected a coordinate from 0 to "
                + (rows - 1)
                + ", found "
                + coordinates[mode]);
      }
    }
    return model.at(coordinates);
  }

  double predict(Map<String, ?> cell) {
    cell.keySet().forEach(this::number);
    long[] at = new long[modes.size()];
    for (int mode = 0; mode < at.length; mode++) {
      Object label = cell.get(modes.get(mode));
      if (label == null) {
        throw usage("expected a label for each of " + modes + ", found none of " + modes.get(mode));
      }
      at[mode] = coordinate(mode, label);
    }
    return predict(at);
  }

  private long coordinate(int mode, Object label) {
    Source.ModeLabels known = labels.get(mode);
    if (known.equals(Source.ModeLabels.NONE) && label instanceof Number number) {
      return number.longValue();
    }
    if (known.table() != null) {
      List<Row> found =
          known
              .table()
              .where(
                  functions
                      .col(TableModel.LABEL)
                      .equalTo(
                          LabelColumns.cell(
                              weft.requireSpark(), modes.get(mode), label, known.type())))
              .select(TableModel.COORDINATE)
              .takeAsList(1);
      if (!found.isEmpty()) {
        return found.get(0).getLong(0);
      }
    }
    int at = known.listed() == null ? -1 : known.listed().toList().indexOf(label.toString());
    if (at < 0) {
      throw usage(modes.get(mode) + ": expected a label of the model, found '" + label + "'");
    }
    return at;
  }

  /** The rows that a decomposition of a tensor starts from, found by labels. */
  List<RowSource> rowsFor(Tensor tensor, Cpd cpd) {
    MatchedLabels matched =
        new MatchedLabels(
            "from",
            "given",
            modes,
            Source.ModeLabels.text(tensor.loaded().labels()),
            Source.ModeLabels.text(labels));
    matched.requireOrder(tensor.modes());
    long[] shape = tensor.shape();
    List<RowSource> rows = new ArrayList<>();
    for (int mode = 0; mode < shape.length; mode++) {
      DenseMatrix known = model.factors().get(mode);
      Optional<long[]> places = matched.places(mode);
      if (places.isEmpty() && known.rows() > shape[mode]) {
        throw usage(
            String.format(
                Locale.ROOT,
                "from: expected a model of at most %s in mode %s, the size of the tensor,"
                    + " found %d",
                Counts.plain(shape[mode], "row"),
                modes.get(mode),
                known.rows()));
      }
      long[] own = places.orElseGet(() -> LongStream.range(0, known.rows()).toArray());
      rows.add(StartRows.at(known, own, shape[mode], cpd, mode));
    }
    return rows;
  }

  /** The factors as tables whose labels, or coordinates where a mode has none, are keys. */
  TableModel tables() {
    List<Dataset<Row>> tables =
        IntStream.range(0, modes.size())
            .mapToObj(
                mode -> {
                  Source.ModeLabels own = labels.get(mode);
                  Dataset<Row> factor =
                      ModelTables.factor(weft.requireSpark(), model.factors().get(mode), own);
                  return own.equals(Source.ModeLabels.NONE)
                      ? factor.withColumn(TableModel.LABEL, functions.col(TableModel.COORDINATE))
                      : factor;
                })
            .toList();
    return new TableModel(modes, tables, value());
  }

  private int number(String mode) {
    int number = modes.indexOf(mode);
    if (number < 0) {
      throw usage("expected a mode of " + modes + ", found '" + mode + "'");
    }
    return number;
  }

  private static WeftException usage(String message) {
    return new WeftException(ErrorCode.USAGE, message);
  }
}
