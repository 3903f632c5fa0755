package org.weft.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.cp.CpState;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.cp.Leverage;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.entries.ChosenRows;
import org.weft.engine.entries.HeavyBox;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;

/**
 * A start for a CP decomposition of a large tensor, from decompositions of two samples, each the
 * box of the slices with the highest scores. Their sweeps cost as much less as a box has fewer
 * entries and slices than the tensor.
 *
 * <ol>
 *   <li>While there is no model, the score of a slice is its number of entries (Papalexakis,
 *       Faloutsos and Sidiropoulos 2012 sample slices by their sums likewise).
 *   <li>A sweep over all entries from this model on gives each slice a row, and the row's {@link
 *       Leverage} is the slice's score in the second box.
 * </ol>
 *
 * <p>The rows of other slices are zeros in the end. The next sweep over the whole tensor thus
 * solves each row's least-squares problem at the rows of the Khatri-Rao product that the box has,
 * with the normal equations of those rows: CP-ARLS-LEV (Larsen and Kolda 2022) with the
 * deterministic part of its sample alone. The entries of a sparse tensor are few where a row was
 * drawn at random, and the weights of such rows make its model one of a few entries.
 *
 * @param box whose factors come to this process
 * @param share of the entries that a sample has, about
 */
public record SampledStart(HeavyBox box, double share) {
  /** Slices for each component that a mode of the sample has at least, if the tensor has them. */
  private static final long SLICES = 16;

  /**
   * A start for a tensor.
   *
   * @param share of the entries that a sample has, about
   * @return empty where the sample would be the tensor
   */
  public static Optional<SampledStart> of(EngineTensor tensor, Cpd cpd, double share) {
    TensorStatistics statistics = tensor.originalStatistics();
    List<double[]> counts =
        IntStream.range(0, statistics.shape().order())
            .mapToObj(mode -> counts(statistics.histogram(mode)))
            .toList();
    HeavyBox box = box(statistics, counts, cpd, share);
    return box.isPart(statistics) ? Optional.of(new SampledStart(box, share)) : Optional.empty();
  }

  private static double[] counts(ModeHistogram histogram) {
    return IntStream.range(0, histogram.buckets()).mapToDouble(histogram::count).toArray();
  }

  private static HeavyBox box(
      TensorStatistics statistics, List<double[]> scores, Cpd cpd, double share) {
    return HeavyBox.of(statistics, scores, share, SLICES * cpd.rank(), cpd.seed());
  }

  /** The first sample, to be planned or decomposed. */
  public EngineTensor sample(Engine engine, EngineTensor tensor) {
    return sample(engine, tensor, box);
  }

  private static EngineTensor sample(Engine engine, EngineTensor tensor, HeavyBox box) {
    return engine.select(tensor, "a sample of " + tensor.uri(), box.shape(), box.entries());
  }

  /**
   * Decomposes the samples.
   *
   * @param cpd without constraints of modes, as a sample's slices do not follow each other
   * @return the last model as one of the tensor, in the coordinates of the tensor's file
   */
  public Found find(Engine engine, EngineTensor tensor, Cpd cpd, ProgressListener progress) {
    CpState first = decompose(engine, tensor, box, cpd, Optional.empty(), progress).state();
    List<double[]> scores = scores(engine, tensor, cpd, first, progress);
    HeavyBox second = box(tensor.originalStatistics(), scores, cpd, share);
    List<RowSource> rows = new ArrayList<>();
    for (int mode = 0; mode < scores.size(); mode++) {
      rows.add(new ChosenRows(second.modes().get(mode), first.factors().get(mode)));
    }
    CpState start = CpState.of(rows, first.lambda());
    return decompose(engine, tensor, second, cpd, Optional.of(start), progress);
  }

  private static Found decompose(
      Engine engine,
      EngineTensor tensor,
      HeavyBox box,
      Cpd cpd,
      Optional<CpState> start,
      ProgressListener progress) {
    EngineTensor sample = sample(engine, tensor, box);
    Checkpoints from = Checkpoints.from(start.map(CpState::begun));
    CpdResult model = engine.cpd(sample, cpd, from, progress);
    sample.releaseResident();
    TensorShape shape = tensor.originalStatistics().shape();
    List<RowSource> factors = new ArrayList<>();
    for (int mode = 0; mode < shape.order(); mode++) {
      factors.add(
          new SpreadRows(box.modes().get(mode), model.factors().get(mode), shape.size(mode)));
    }
    return new Found(CpState.of(factors, model.lambda()), sample.statistics(), model);
  }

  /** Leverage by bucket of each mode's histogram, after a sweep over all entries. */
  private static List<double[]> scores(
      Engine engine, EngineTensor tensor, Cpd cpd, CpState state, ProgressListener progress) {
    TensorStatistics statistics = tensor.originalStatistics();
    List<double[]> scores = new ArrayList<>();
    engine.cpd(
        tensor,
        cpd.withIterations(1),
        Checkpoints.from(Optional.of(state.begun())),
        progress,
        (model, site) -> {
          scores.clear();
          for (Factor factor : model.factors()) {
            DenseMatrix rows = Leverage.scores(site, factor.rows(), cpd.algebra());
            scores.add(byBucket(statistics.histogram(factor.rows().mode()), rows));
          }
        });
    return scores;
  }

  private static double[] byBucket(ModeHistogram histogram, DenseMatrix scores) {
    int shift = Long.numberOfTrailingZeros(histogram.bucketWidth());
    double[] sums = new double[histogram.buckets()];
    // Slices behind the last bucket have no entries.
    long rows = Math.min(scores.rows(), (long) sums.length << shift);
    for (long row = 0; row < rows; row++) {
      sums[(int) (row >>> shift)] += scores.get(row, 0);
    }
    return sums;
  }

  /**
   * What the samples have shown.
   *
   * @param state to go on from
   * @param sample its entries, of the last sample
   * @param model of the last sample
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
