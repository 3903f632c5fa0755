package org.weft.storage.container;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorStorage;

/**
 * What a new version keeps of the one that it adds to: all of it, or all but a batch that is
 * replaced.
 *
 * @param container the version as its manifest would be; histograms are those of the whole
 * @param statistics of the entries that are kept
 */
record KeptVersion(Container container, TensorStatistics statistics) {
  private static final int BLOCK_ENTRIES = 1 << 16;

  static KeptVersion of(Container base) {
    return new KeptVersion(base, base.sampled(base.statistics()));
  }

  /**
   * All but a batch; labels and mode sizes stay. Cost: the batch is read, and values of the others
   * until the extremes are found among them. Memory: a part.
   */
  static KeptVersion without(Container base, Manifest.Batch batch) {
    Manifest whole = base.manifest();
    int end = batch.firstPart() + batch.parts();
    List<Manifest.Part> parts = new ArrayList<>(whole.parts().subList(0, batch.firstPart()));
    parts.addAll(whole.parts().subList(end, whole.parts().size()));
    List<Manifest.Batch> batches = new ArrayList<>();
    for (Manifest.Batch other : whole.batches()) {
      if (!other.equals(batch)) {
        int moved = other.firstPart() >= end ? batch.parts() : 0;
        batches.add(new Manifest.Batch(other.key(), other.firstPart() - moved, other.parts()));
      }
    }
    TensorStatistics statistics = remaining(base, batch, parts);
    int[] files = usedFiles(whole.modes(), parts);
    IntUnaryOperator moved = file -> Math.max(0, Arrays.binarySearch(files, file));
    Manifest kept =
        new Manifest(
            whole.formatVersion(),
            whole.version(),
            whole.valueType(),
            whole.format(),
            whole.distinct(),
            whole.blockBytes(),
            whole.modes().stream().map(mode -> mode.moved(moved)).toList(),
            whole.statistics(),
            Arrays.stream(files).mapToObj(whole.files()::get).toList(),
            parts.stream().map(part -> part.moved(moved)).toList(),
            batches,
            whole.provenance());
    return new KeptVersion(base.with(kept), statistics);
  }

  /** The files with an array that is kept, ascending. */
  private static int[] usedFiles(List<Manifest.Mode> modes, List<Manifest.Part> parts) {
    Stream<Manifest.ArrayEntry> arrays =
        Stream.concat(
            modes.stream().flatMap(Manifest.Mode::keptArrays),
            parts.stream().flatMap(part -> part.arrays().stream()));
    TreeSet<Integer> used = new TreeSet<>();
    arrays.forEach(array -> used.add(array.file()));
    return used.stream().mapToInt(file -> file).toArray();
  }

  private static TensorStatistics remaining(
      Container base, Manifest.Batch batch, List<Manifest.Part> kept) {
    TensorStatistics all = base.statistics();
    int end = batch.firstPart() + batch.parts();
    int order = all.shape().order();
    TensorStatistics.Builder counted = TensorStatistics.builder(order);
    for (int part = batch.firstPart(); part < end; part++) {
      read(base, part, counted::add);
    }
    TensorStatistics gone = counted.build(all.shape());
    List<ModeHistogram> histograms = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      int m = mode;
      long largest = kept.stream().mapToLong(p -> p.ranges().get(m).last()).max().orElse(-1);
      histograms.add(difference(all.histogram(mode), gone.histogram(mode), largest));
    }
    Extremes extremes = Extremes.of(base, batch, all, gone);
    return new TensorStatistics(
        all.shape(),
        all.entries() - gone.entries(),
        histograms,
        extremes.least,
        extremes.greatest,
        kept.stream().mapToDouble(Manifest.Part::normSquared).sum(),
        all.nonfinite() - gone.nonfinite());
  }

  private static void read(Container base, int part, Consumer<CooBlock> use) {
    try (MemoryScope scope = MemoryScope.root("batch of " + base.uri(), MemorySource.system())) {
      TensorStorage stored = base.load(scope, part, base.format(), base.shape(), 0);
      Packing.unpackBlocks(stored, BLOCK_ENTRIES).forEachRemaining(use);
    }
  }

  /** Buckets stay as wide as they are, but for the one that has the largest coordinate. */
  private static ModeHistogram difference(ModeHistogram all, ModeHistogram gone, long largest) {
    ModeHistogram left = new ModeHistogram();
    if (largest < 0) {
      return left;
    }
    long width = all.bucketWidth();
    long[] counts = new long[all.buckets()];
    for (int bucket = 0; bucket < counts.length; bucket++) {
      counts[bucket] = all.count(bucket);
    }
    long narrow = gone.bucketWidth();
    for (int bucket = 0; bucket < gone.buckets(); bucket++) {
      counts[(int) (bucket * narrow / width)] -= gone.count(bucket);
    }
    // The largest first: it decides the width of the buckets.
    for (long bucket = largest / width; bucket >= 0; bucket--) {
      long slice = bucket == largest / width ? largest : bucket * width;
      left.add(slice, counts[(int) bucket]);
    }
    return left;
  }

  /** Least and greatest value of the parts that are kept. */
  private static final class Extremes {
    private double least = Double.POSITIVE_INFINITY;
    private double greatest = Double.NEGATIVE_INFINITY;

    static Extremes of(
        Container base, Manifest.Batch batch, TensorStatistics all, TensorStatistics gone) {
      Extremes found = new Extremes();
      boolean others = gone.minValue() > all.minValue() && gone.maxValue() < all.maxValue();
      if (others) {
        found.least = all.minValue();
        found.greatest = all.maxValue();
        return found;
      }
      for (int part = 0; part < base.partCount() && !found.are(all); part++) {
        if (part < batch.firstPart() || part >= batch.firstPart() + batch.parts()) {
          read(base, part, found::add);
        }
      }
      return found;
    }

    private boolean are(TensorStatistics all) {
      return least <= all.minValue() && greatest >= all.maxValue();
    }

    private void add(CooBlock block) {
      for (int e = 0; e < block.size(); e++) {
        double value = block.value(e);
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
      }
    }
  }
}
