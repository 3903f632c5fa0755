package org.weft.api;

import java.util.List;
import java.util.Map;
import org.weft.spark.model.CpValue;
import org.weft.storage.model.ModelSummary;

/**
 * A CP model of the entries that are known: {@code T(i,j,...) ~ sum_c lambda(c) A(i,c) B(j,c) ...},
 * columns of factors of 2-norm 1. After the R components come the columns of biases, one for each
 * mode, and that of the mean, if the run had them.
 */
public final class CompletionModel extends TensorModel {
  CompletionModel(ModelFactors factors, ModelSummary summary) {
    super(factors, summary);
  }

  /** Number of components R, without the columns of biases and mean. */
  public int rank() {
    return (int) SavedModel.number(summary(), "components");
  }

  /** Weights of all columns: R, or R + order + 1 with biases. */
  public double[] lambda() {
    return ((CpValue) value()).lambda().clone();
  }

  /** Mean of the entries that the model is made of. */
  public double mean() {
    return SavedModel.number(summary(), "mean");
  }

  /** Root of the mean squared error at the entries that decide: those held out, if there are. */
  public double rmse() {
    List<Double> held = heldOutErrors();
    return (held.isEmpty() ? trainingErrors() : held).get(best() - 1);
  }

  /** The error at the entries that the model is made of, after each iteration. */
  public List<Double> trainingErrors() {
    return SavedModel.numbers(summary(), "rmse_training");
  }

  /** The error at the entries that are held out, after each iteration; empty without any. */
  public List<Double> heldOutErrors() {
    return SavedModel.numbers(summary(), "rmse_validation");
  }

  /** The iteration that this is the model of, from 1: the one with the smallest error. */
  public int best() {
    return (int) SavedModel.number(summary(), "best_iteration");
  }

  @Override
  double score() {
    return -rmse();
  }

  @Override
  Map<String, Object> outcome(long seed) {
    Map<String, Object> outcome = super.outcome(seed);
    outcome.put("rmse", rmse());
    return outcome;
  }

  @Override
  int kept() {
    return best();
  }
}
