package org.weft.decomposition;

import java.util.List;
import java.util.function.Function;
import org.weft.decomposition.rows.Site;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Has CP models judged by the entries of the tensor that it runs on, which no model is made of: it
 * lasts as long as the work that asks.
 *
 * @param columns of the models' factors
 * @param work that is given the judge
 */
public record HeldOut<T>(int columns, ValueType valueType, Function<ModelError, T> work)
    implements Method<T> {
  @Override
  public Job job(TensorShape shape) {
    return new Job("held-out entries", ModelError.statements(columns), List.of(), 1, valueType);
  }

  @Override
  public T run(Site site, Observer observer) {
    return work.apply(new ModelError(site, 0));
  }
}
