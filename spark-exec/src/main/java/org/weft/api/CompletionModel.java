package org.weft.api;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.weft.decomposition.completion.Completion;
import org.weft.error.WeftException;
import org.weft.spark.model.CpValue;
import org.weft.tensor.DenseMatrix;

/**
 * A CP model of the entries that are known: {@code T(i,j,...) ~ sum_c lambda(c) A(i,c) B(j,c) ...},
 * columns of factors of 2-norm 1. After the R components come the columns of biases, one for each
 * mode, and that of the mean, if the run had them.
 */
public final class CompletionModel {
  private final ModelFactors factors;
  private final int rank;
  private final Completion.Model model;

  CompletionModel(
      Weft weft,
      List<String> modes,
      List<Source.ModeLabels> labels,
      List<DenseMatrix> factors,
      int rank,
      Completion.Model model) {
    CpValue value = new CpValue(model.lambda());
    this.factors = new ModelFactors(weft, modes, labels, factors, value);
    this.rank = rank;
    this.model = model;
  }

  /** Number of components R, without the columns of biases and mean. */
  public int rank() {
    return rank;
  }

  /** Names of the modes. */
  public List<String> modes() {
    return factors.modes();
  }

  /** Weights of all columns: R, or R + order + 1 with biases. */
  public double[] lambda() {
    return model.lambda().clone();
  }

  /** Mean of the entries that the model is made of. */
  public double mean() {
    return model.mean();
  }

  /** Root of the mean squared error at the entries that decide: those held out, if there are. */
  public double rmse() {
    return model.error();
  }

  /** The error at the entries that the model is made of, after each iteration. */
  public List<Double> trainingErrors() {
    return model.rmse();
  }

  /** The error at the entries that are held out, after each iteration; empty without any. */
  public List<Double> heldOutErrors() {
    return model.heldOut();
  }

  /** {@code 1 - |T - model| / |T|} at the entries that decide, after each iteration. */
  public List<Double> fits() {
    return model.fits();
  }

  /** The iteration that this is the model of, from 1: the one with the smallest error. */
  public int best() {
    return model.best();
  }

  /** Whether the run ended for want of smaller errors. */
  public boolean converged() {
    return model.converged();
  }

  /**
   * The factor of a mode as a table: a column of the mode's name with its labels (null for modes
   * without), {@code coordinate} from 0, and {@code weights}, an array with a double a column.
   *
   * @throws WeftException {@code USAGE} for a mode that is not there, and without Spark
   */
  public Dataset<Row> factors(String mode) {
    return factors.table(mode);
  }

  /**
   * The factor of a mode: mode size x columns.
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

  /** The best labels of a mode; see {@link CpModel#recommend}. */
  public Dataset<Row> recommend(Dataset<Row> rows, String mode, int count) {
    return factors.tables().recommend(rows, mode, count);
  }
}
