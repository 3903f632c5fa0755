package org.weft.api;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.weft.decomposition.Tucker;
import org.weft.error.WeftException;
import org.weft.spark.model.TuckerValue;
import org.weft.tensor.DenseMatrix;

/**
 * A Tucker decomposition: {@code T(i,j,...) ~ sum G(p,q,...) A(i,p) B(j,q) ...}, columns of factors
 * orthonormal.
 */
public final class TuckerModel {
  private final ModelFactors factors;
  private final int[] ranks;
  private final Tucker.Model model;

  TuckerModel(
      Weft weft,
      List<String> modes,
      List<Source.ModeLabels> labels,
      List<DenseMatrix> factors,
      Tucker.Model model) {
    this.ranks = factors.stream().mapToInt(DenseMatrix::columns).toArray();
    TuckerValue value = new TuckerValue(ranks, model.core());
    this.factors = new ModelFactors(weft, modes, labels, factors, value);
    this.model = model;
  }

  /** Columns of each factor: R_n, by mode. */
  public int[] ranks() {
    return ranks.clone();
  }

  /** Names of the modes. */
  public List<String> modes() {
    return factors.modes();
  }

  /** The core, row-major: {@code R_0 x R_1 x ...}. */
  public double[] core() {
    return model.core().clone();
  }

  /** {@code 1 - |T - model| / |T|}: 1 for a model that equals the tensor. */
  public double fit() {
    List<Double> fits = model.fits();
    return fits.isEmpty() ? 0 : fits.get(fits.size() - 1);
  }

  /** The fit after each iteration. */
  public List<Double> fits() {
    return model.fits();
  }

  /** Whether the fit changed by less than the tolerance in the last iteration. */
  public boolean converged() {
    return model.converged();
  }

  /**
   * The factor of a mode as a table: a column of the mode's name with its labels (null for modes
   * without), {@code coordinate} from 0, and {@code weights}, an array of R_n doubles.
   *
   * @throws WeftException {@code USAGE} for a mode that is not there, and without Spark
   */
  public Dataset<Row> factors(String mode) {
    return factors.table(mode);
  }

  /**
   * The factor of a mode: mode size x R_n.
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
   * {@code rows} with the model's value in another column, {@code prediction}; see {@link
   * CpModel#transform}.
   */
  public Dataset<Row> transform(Dataset<Row> rows) {
    return factors.tables().predict(rows, "prediction");
  }
}
