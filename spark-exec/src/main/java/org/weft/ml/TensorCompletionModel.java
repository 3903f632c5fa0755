package org.weft.ml;

import java.util.List;
import org.apache.spark.ml.util.MLReader;
import org.weft.spark.model.CpValue;
import org.weft.spark.model.TableModel;

/**
 * A CP model of the entries of a table that are known; see {@link TensorCompletion}. Columns of
 * factors have 2-norm 1; the last ones are those of the biases, one for each mode, and of the mean.
 */
public final class TensorCompletionModel extends TensorTransformer<TensorCompletionModel> {
  private static final long serialVersionUID = 1L;

  TensorCompletionModel(String uid, TableModel tables, Iterations iterations) {
    super(uid, tables, iterations);
  }

  /** Weights of all columns: components, biases and mean. */
  public double[] lambda() {
    return ((CpValue) tables().value()).lambda().clone();
  }

  /**
   * Root of the mean squared error of this model at the entries that were held out, or without any
   * at those it is made of.
   */
  public double rmse() {
    List<Double> held = iterations().heldOutErrors();
    List<Double> deciding = held.isEmpty() ? iterations().trainingErrors() : held;
    return deciding.get(iterations().kept() - 1);
  }

  /** The error at the entries that the model is made of, after each iteration. */
  public double[] trainingErrors() {
    return Iterations.numbers(iterations().trainingErrors());
  }

  /** The error at the entries that were held out, after each iteration; empty without any. */
  public double[] heldOutErrors() {
    return Iterations.numbers(iterations().heldOutErrors());
  }

  /** The iteration that this is the model of, from 1. */
  public int best() {
    return iterations().kept();
  }

  @Override
  TensorCompletionModel again() {
    return new TensorCompletionModel(uid(), tables(), iterations());
  }

  /** Reads a model that was saved. */
  public static MLReader<TensorCompletionModel> read() {
    return new ModelReader<>(TensorCompletionModel.class, TensorCompletionModel::new);
  }

  public static TensorCompletionModel load(String path) {
    return read().load(path);
  }
}
