package org.weft.engine.entries;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.reorder.Relabelling;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;

/** Counts parsed entries once more, where they lie. */
public final class EntryCounts {
  private EntryCounts() {}

  /** The histograms of the entries under new coordinates. */
  public static List<ModeHistogram> histograms(EntryBlocks entries, Shared<Relabelling> there) {
    int order = there.value().order();
    return count(entries, order, there, false).build(there.value().shape()).histograms();
  }

  /**
   * The statistics with samples of slices.
   *
   * @param known of all entries
   * @param there to the coordinates of {@code known}; null for those of the parsed entries
   */
  public static TensorStatistics sampled(
      EntryBlocks entries, TensorStatistics known, @Nullable Shared<Relabelling> there) {
    int order = known.shape().order();
    return known.withSamples(count(entries, order, there, true).build(known.shape()).samples());
  }

  private static TensorStatistics.Builder count(
      EntryBlocks entries, int order, @Nullable Shared<Relabelling> there, boolean sampling) {
    return entries.reduce(
        blocks -> {
          TensorStatistics.Builder counts = TensorStatistics.builder(order);
          if (sampling) {
            counts.sampling();
          }
          while (blocks.hasNext()) {
            CooBlock block = blocks.next().block();
            counts.add(there == null ? block : there.value().apply(block));
          }
          return List.of(counts).iterator();
        },
        TensorStatistics.Builder::merge);
  }
}
