package org.weft.decomposition.completion;

import java.util.List;
import java.util.function.Function;
import org.weft.decomposition.Method;
import org.weft.decomposition.rows.Site;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** A share of the entries that a {@link GradientSolver} learns from: a tensor of its own. */
public final class EntryBatch {
  private final Site site;

  private EntryBatch(Site site) {
    this.site = site;
  }

  EntryGradient gradient(int columns, ValueType type) {
    return new EntryGradient(site, columns, type);
  }

  /**
   * Gives work the tensor that it runs on as a batch: it lasts as long as the work.
   *
   * @param columns of the model's factors
   */
  public record Given<T>(int columns, ValueType valueType, Function<EntryBatch, T> work)
      implements Method<T> {
    @Override
    public Job job(TensorShape shape) {
      return new Job(
          "batch", EntryGradient.statements(shape.order(), columns), List.of(), 1, valueType);
    }

    @Override
    public T run(Site site, Observer observer) {
      return work.apply(new EntryBatch(site));
    }
  }
}
