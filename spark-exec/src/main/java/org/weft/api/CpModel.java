package org.weft.api;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.weft.engine.CpdResult;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.DenseMatrix;

/**
 * A CP decomposition: {@code T(i,j,...) ~ sum_r lambda(r) A(i,r) B(j,r) ...}, columns of factors of
 * 2-norm 1.
 */
public final class CpModel {
  private final Weft weft;
  private final List<String> modes;
  private final List<Source.ModeLabels> labels;
  private final CpdResult result;

  CpModel(Weft weft, List<String> modes, List<Source.ModeLabels> labels, CpdResult result) {
    this.weft = weft;
    this.modes = List.copyOf(modes);
    this.labels = List.copyOf(labels);
    this.result = result;
  }

  /** Number of components R. */
  public int rank() {
    return result.lambda().length;
  }

  /** Names of the modes. */
  public List<String> modes() {
    return modes;
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
    int number = number(mode);
    return ModelTables.factor(
        weft.requireSpark(), mode, result.factors().get(number), labels.get(number));
  }

  /**
   * The factor of a mode: mode size x R.
   *
   * @throws WeftException {@code USAGE} for a mode that is not there
   */
  public double[][] matrix(String mode) {
    DenseMatrix factor = result.factors().get(number(mode));
    double[][] rows = new double[Math.toIntExact(factor.rows())][factor.columns()];
    for (int row = 0; row < rows.length; row++) {
      factor.copyRow(row, rows[row], 0);
    }
    return rows;
  }

  /**
   * The model's value at coordinates from 0, one for each mode.
   *
   * @throws WeftException {@code COORDINATE_OUT_OF_RANGE}, {@code SHAPE_MISMATCH}
   */
  public double predict(long... coordinates) {
    if (coordinates.length != modes.size()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "expected a coordinate for each of " + modes + ", found " + coordinates.length);
    }
    double sum = 0;
    for (int r = 0; r < rank(); r++) {
      double product = result.lambda()[r];
      for (int mode = 0; mode < coordinates.length; mode++) {
        DenseMatrix factor = result.factors().get(mode);
        if (coordinates[mode] < 0 || coordinates[mode] >= factor.rows()) {
          throw new WeftException(
              ErrorCode.COORDINATE_OUT_OF_RANGE,
              modes.get(mode)
                  + ": expected a coordinate from 0 to "
                  + (factor.rows() - 1)
                  + ", found "
                  + coordinates[mode]);
        }
        product *= factor.get(coordinates[mode], r);
      }
      sum += product;
    }
    return sum;
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
    return ModelTables.predictions(weft.requireSpark(), rows, modes, labels, result);
  }

  private int number(String mode) {
    int number = modes.indexOf(mode);
    if (number < 0) {
      throw new WeftException(
          ErrorCode.USAGE, "expected a mode of " + modes + ", found '" + mode + "'");
    }
    return number;
  }
}
