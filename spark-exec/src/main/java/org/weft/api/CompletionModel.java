package org.weft.api;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.weft.decomposition.completion.Completion;
import org.weft.spark.model.CpValue;
import org.weft.tensor.DenseMatrix;

/**
 * A CP model of the entries that are known: {@code T(i,j,...) ~ sum_c lambda(c) A(i,c) B(j,c) ...},
 * columns of factors of 2-norm 1. After the R components come the columns of biases, one for each
 * mode, and that of the mean, if the run had them.
 */
public final class CompletionModel extends TensorModel {
  private final int rank;
  private final Completion.Model model;

  CompletionModel(
      Weft weft,
      List<String> modes,
      List<Source.ModeLabels> labels,
      List<DenseMatrix> factors,
      int rank,
      Completion.Model model) {
    super(new ModelFactors(weft, modes, labels, factors, new CpValue(model.lambda())));
    this.rank = rank;
    this.model = model;
  }

  /** Number of components R, without the columns of biases and mean. */
  public int rank() {
    return rank;
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

  /** The best labels of a mode; see {@link CpModel#recommend}. */
  public Dataset<Row> recommend(Dataset<Row> rows, String mode, int count) {
    return tables().recommend(rows, mode, count);
  }
}
