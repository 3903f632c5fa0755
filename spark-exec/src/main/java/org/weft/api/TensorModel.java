package org.weft.api;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.weft.error.Given;
import org.weft.error.WeftException;
import org.weft.spark.model.ModelValue;
import org.weft.storage.model.ModelSummary;
import org.weft.text.Counts;

/** What every model of a tensor has: a factor for each mode, and a value at any coordinates. */
public abstract sealed class TensorModel permits CpModel, CompletionModel, TuckerModel {
  private final ModelFactors factors;
  private ModelSummary summary;

  TensorModel(ModelFactors factors, ModelSummary summary) {
    this.factors = factors;
    this.summary = summary;
  }

  /** Names of the modes. */
  public final List<String> modes() {
    return factors.modes();
  }

  /**
   * The factor of a mode as a table: a column of the mode's name with its labels (null for modes
   * without), {@code coordinate} from 0, and {@code weights}, an array with a double for each
   * column of the factor.
   *
   * @throws WeftException {@code USAGE} for a mode that is not there, and without Spark
   */
  public final Dataset<Row> factors(String mode) {
    return factors.table(Given.required("mode", mode));
  }

  /**
   * The factor of a mode: mode size x columns.
   *
   * @throws WeftException {@code USAGE} for a mode that is not there
   */
  public final double[][] matrix(String mode) {
    return factors.matrix(Given.required("mode", mode));
  }

  /**
   * The model's value at coordinates from 0, one for each mode.
   *
   * @throws WeftException {@code COORDINATE_OUT_OF_RANGE}, {@code SHAPE_MISMATCH}
   */
  public final double predict(long... coordinates) {
    return factors.predict(Given.required("coordinates", coordinates));
  }

  /**
   * The model's value at a cell.
   *
   * @param cell by the name of each mode its label; of modes without labels a coordinate from 0
   * @throws WeftException {@code USAGE} for a label or a mode that is not there, and for a mode
   *     without a label, {@code COORDINATE_OUT_OF_RANGE}
   */
  public final double predict(Map<String, ?> cell) {
    return factors.predict(Given.required("cell", cell));
  }

  /**
   * {@code rows} with the model's value in another column, {@code prediction}: null where a label
   * is not one of the model's.
   *
   * @param rows with a column for each mode, of its name, that has the mode's labels, or
   *     coordinates of modes without labels
   * @throws WeftException {@code USAGE} for a column that {@code rows} lacks, and without Spark
   */
  public final Dataset<Row> transform(Dataset<Row> rows) {
    Given.required("rows", rows);
    return factors.tables().predict(rows, "prediction");
  }

  /**
   * The labels of a mode with the highest values of the model, for each distinct row of labels of
   * other modes; modes of which {@code rows} has no column are averaged over.
   *
   * @param rows with a column for at least one other mode; rows with labels that the model lacks
   *     are left out
   * @return the columns of labels, and {@code recommendations}: an array of {@code {mode,
   *     prediction}}, the highest prediction first
   * @throws WeftException {@code USAGE} for a mode that is not there, and without Spark
   */
  public final Dataset<Row> recommend(Dataset<Row> rows, String mode, int count) {
    Given.required("rows", rows);
    Given.required("mode", mode);
    return factors.tables().recommend(rows, mode, count);
  }

  /**
   * {@code 1 - |T - model| / |T|} of this model, T the entries that a completion is judged by: 1
   * for a model that equals the tensor.
   */
  public final double fit() {
    return kept() == 0 ? 0 : fits().get(kept() - 1);
  }

  /** The fit after each iteration. */
  public final List<Double> fits() {
    return SavedModel.numbers(summary, "fits");
  }

  /** Whether the run ended because it made no progress, and not after its last iteration. */
  public final boolean converged() {
    return Boolean.parseBoolean("" + summary.content().get("converged"));
  }

  /** As {@link #save(String, boolean)}, for a folder that is not there. */
  public final void save(String folder) {
    save(folder, false);
  }

  /**
   * Writes the model to a folder, as {@code weft cpd}, {@code tucker} and {@code complete} do, on
   * any file system that Hadoop knows. The folder appears whole or not at all. Commands read it,
   * and {@link Weft#model}. Tabs and line ends within labels become blanks.
   *
   * @param overwrite whether to replace a model that is there
   * @throws WeftException {@code OUTPUT_EXISTS} for a folder that is there, or one of other files,
   *     {@code STORAGE_UNAVAILABLE}
   */
  public final void save(String folder, boolean overwrite) {
    SavedModel.write(factors, summary, Given.required("folder", folder), overwrite);
  }

  /** Modes, fit and iterations. */
  @Override
  public final String toString() {
    return String.format(
        Locale.ROOT,
        "model of %s, fit %.6f after %s",
        String.join(" x ", modes()),
        fit(),
        Counts.plain(fits().size(), "iteration"));
  }

  /** By which the best of several starts is chosen: more is better. */
  double score() {
    return fit();
  }

  /** What a summary says of the start that this is the model of. */
  Map<String, Object> outcome(long seed) {
    Map<String, Object> outcome = new LinkedHashMap<>();
    outcome.put("seed", seed);
    outcome.put("fit", fit());
    outcome.put("fits", fits());
    outcome.put("iterations", fits().size());
    outcome.put("converged", converged());
    return outcome;
  }

  final void setStarts(List<Map<String, Object>> outcomes) {
    summary = summary.with("starts", outcomes);
  }

  /** The iteration that this is the model of, from 1. */
  int kept() {
    return fits().size();
  }

  final ModelFactors factors() {
    return factors;
  }

  final ModelValue value() {
    return factors.value();
  }

  final ModelSummary summary() {
    return summary;
  }
}
