package org.weft.api;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.weft.engine.CpdResult;
import org.weft.error.WeftException;
import org.weft.spark.model.CpValue;

/**
 * A CP decomposition: {@code T(i,j,...) ~ sum_r lambda(r) A(i,r) B(j,r) ...}, columns of factors of
 * 2-norm 1.
 */
public final class CpModel {
  private final ModelFactors factors;
  private final CpdResult result;

  CpModel(Weft weft, List<String> modes, List<Source.ModeLabels> labels, CpdResult result) {
    CpValue value = new CpValue(result.lambda());
    this.factors = new ModelFactors(weft, modes, labels, result.factors(), value);
    this.result = result;
  }

  /** Number of components R. */
  public int rank() {
    return result.lambda().length;
  }

  /** Names of the modes. */
  public List<String> modes() {
    return factors.modes();
  }

  /** Weights of the components: R of them. */
  public double[] lambda() {
    return result.lambda().clone();
  }

  /** {@code 1 - |T - model| / |T|}: 1 for a model that equals the tensor. */
  public double fit() {
    List<Double> fits = result.fits();
    return fits.isEmpty() ? 0 : fits.get(fits.size() - 1);
  }

  /** The fit after each iteration. */
  public List<Double> fits() {
    return result.fits();
  }

  /** Whether the fit changed by less than the tolerance in the last iteration. */
  public boolean converged() {
    return result.converged();
  }

  /**
   * The factor of a mode as a table: a column of the mode's name with its labels (null for modes
   * without), {@code coordinate} from 0, and {@code weights}, an array of R doubles.
   *
   * @throws WeftException {@code USAGE} for a mode that is not there, and without Spark
   */
  public Dataset<Row> factors(String mode) {
    return factors.table(mode);
  }

  /**
   * The factor of a mode: mode size x R.
   *
   * @throws WeftException {@code USAGE} for a mode that is not there
   */
  public double[][] matrix(String mode) {
    return factors.matrix(mode);
  }

  /**
   * The model's value at coordinates from 0, one for each mode.
   *
   * @throws WeftException {@code COORDINATE_OUT_OF_RANGE}, {@code SHAPE_MISMATCH}
   */
  public double predict(long... coordinates) {
    return factors.predict(coordinates);
  }

  /**
   * {@code rows} with the model's value in another column, {@code prediction}: null where a label
   * is not one of the model's.
   *
   * @param rows with a column for each mode, of its name, that has the mode's labels, or
   *     coordinates of modes without labels
   * @throws WeftException {@code USAGE} for a column that {@code rows} lacks, and without Spark
   */
  public Dataset<Row> transform(Dataset<Row> rows) {
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
  public Dataset<Row> recommend(Dataset<Row> rows, String mode, int count) {
    return factors.tables().recommend(rows, mode, count);
  }
}
