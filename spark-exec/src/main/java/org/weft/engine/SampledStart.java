package org.weft.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.weft.decomposition.cp.CpState;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.entries.HeavyBox;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.TensorShape;

/**
 * A start for a CP decomposition of a large tensor, from the decomposition of a sample: the box of
 * the slices with the most entries (Papalexakis, Faloutsos and Sidiropoulos 2012 sample slices by
 * their sums likewise), whose sweeps cost as much less as it has fewer entries and slices.
 *
 * <p>The rows of other slices are zeros at the start. The first sweep over the whole tensor thus
 * solves each row's least-squares problem at the rows of the Khatri-Rao product that the box has,
 * with the normal equations of those rows: CP-ARLS-LEV (Larsen and Kolda 2022) with the rows of the
 * largest scores alone, none of them drawn, so that none needs a weight. The score of a row is the
 * product of its slices' shares of the entries, which stands for their leverage while there is no
 * model.
 *
 * @param box whose factors come to this process
 */
public record SampledStart(HeavyBox box) {
  /** Slices for each component that a mode of the sample has at least, if the tensor has them. */
  private static final long SLICES = 16;

  /**
   * A start for a tensor.
   *
   * @param share of the entries that the sample has, about
   * @return empty where the sample would be the tensor
   */
  public static Optional<SampledStart> of(EngineTensor tensor, Cpd cpd, double share) {
    TensorStatistics statistics = tensor.originalStatistics();
    HeavyBox box = HeavyBox.of(statistics, share, SLICES * cpd.rank(), cpd.seed());
    return box.isPart(statistics) ? Optional.of(new SampledStart(box)) : Optional.empty();
  }

  /** The sample, to be planned or decomposed. */
  public EngineTensor sample(Engine engine, EngineTensor tensor) {
    return engine.select(tensor, "a sample of " + tensor.uri(), box.shape(), box.entries());
  }

  /**
   * Decomposes the sample.
   *
   * @param cpd without constraints of modes, as a sample's slices do not follow each other
   * @return its model as one of the tensor, in the coordinates of the tensor's file
   */
  public Found find(Engine engine, EngineTensor tensor, Cpd cpd, ProgressListener progress) {
    EngineTensor sample = sample(engine, tensor);
    CpdResult model = engine.cpd(sample, cpd, progress);
    sample.releaseResident();
    TensorShape shape = tensor.originalStatistics().shape();
    List<RowSource> factors = new ArrayList<>();
    for (int mode = 0; mode < shape.order(); mode++) {
      factors.add(
          new SpreadRows(box.modes().get(mode), model.factors().get(mode), shape.size(mode)));
    }
    return new Found(CpState.of(factors, model.lambda()), sample.statistics(), model);
  }

  /**
   * What the sample has shown.
   *
   * @param state to go on from
   * @param sample its entries
   * @param model of the sample
   */
  public record Found(CpState state, TensorStatistics sample, CpdResult model) {
    /** What a summary says of the sample. */
    public Map<String, Object> outcome() {
      Map<String, Object> outcome = new LinkedHashMap<>();
      outcome.put("sample_dims", sample.shape().toArray());
      outcome.put("sample_nnz", sample.entries());
      outcome.put("sample_fit", model.fits().get(model.fits().size() - 1));
      outcome.put("sample_iterations", model.fits().size());
      return outcome;
    }
  }
}
