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
public final class CpModel extends TensorModel {
  private final CpdResult result;

  CpModel(Weft weft, List<String> modes, List<Source.ModeLabels> labels, CpdResult result) {
    super(new ModelFactors(weft, modes, labels, result.factors(), new CpValue(result.lambda())));
    this.result = result;
  }

  /** Number of components R. */
  public int rank() {
    return result.lambda().length;
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
    return tables().recommend(rows, mode, count);
  }
}
