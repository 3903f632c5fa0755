package org.weft.planner.partition;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.statistics.ModeHistogram;
import org.weft.tensor.CooBlock;

/**
 * Tiles of a tensor. Every mode is cut into layers of about equal entries, and a tile has the
 * entries of one layer of each mode. A process that has a tile needs only the rows of the tile's
 * layers. This is the medium-grained decomposition of Smith and Karypis (IPDPS 2016), with the cuts
 * of that paper.
 */
public final class Grid implements Serializable {
  private static final long serialVersionUID = 1L;

  private final long[][] starts; // by mode: first slice of each layer, and the number of slices
  private final SliceIndex[] layers;
  private final double[][] shares; // by mode: share of the entries that each layer has

  private Grid(long[][] starts, double[][] shares) {
    this.starts = starts;
    this.shares = shares;
    this.layers =
        Arrays.stream(starts)
            .map(
                mode -> new SliceIndex(Arrays.copyOf(mode, mode.length - 1), mode[mode.length - 1]))
            .toArray(SliceIndex[]::new);
  }

  /**
   * The layers of every mode.
   *
   * @param sizes slices of each mode
   * @param layers at least one of each mode
   */
  public static Grid of(long[] sizes, List<ModeHistogram> histograms, int[] layers) {
    long[][] starts = new long[sizes.length][];
    double[][] shares = new double[sizes.length][];
    for (int mode = 0; mode < sizes.length; mode++) {
      starts[mode] = cut(histograms.get(mode), sizes[mode], layers[mode]);
      shares[mode] = shares(histograms.get(mode), starts[mode]);
    }
    return new Grid(starts, shares);
  }

  private static double[] shares(ModeHistogram histogram, long[] starts) {
    double total = Math.max(1, histogram.total());
    return IntStream.range(0, starts.length - 1)
        .mapToDouble(layer -> histogram.countBetween(starts[layer], starts[layer + 1]) / total)
        .toArray();
  }

  /** From left to right: what a layer has too much or too little, those after it share. */
  static long[] cut(ModeHistogram histogram, long size, int layers) {
    long[] starts = new long[layers + 1];
    Arrays.fill(starts, 1, layers + 1, size);
    long width = histogram.bucketWidth();
    double target = (double) histogram.total() / layers;
    double last = 0;
    double sum = 0;
    int made = 1;
    for (int bucket = 0; bucket < histogram.buckets() && made < layers; bucket++) {
      if (bucket > 0 && sum >= last + target) {
        starts[made] = bucket * width;
        made++;
        // The sum up to the nearer end of the slice before counts as given away.
        double before = sum - histogram.count(bucket - 1);
        last = last + target - before < sum - (last + target) ? before : sum;
        target = made == layers ? 0 : (histogram.total() - last) / (layers - made + 1);
      }
      sum += histogram.count(bucket);
    }
    return starts;
  }

  /** Layers of each mode. */
  public int[] layers() {
    return Arrays.stream(starts).mapToInt(mode -> mode.length - 1).toArray();
  }

  /** Tiles. */
  public int tiles() {
    return Arrays.stream(layers()).reduce(1, Math::multiplyExact);
  }

  /** Share of the entries that the heaviest tile has if modes do not depend on one another. */
  public double heaviestTile() {
    return Arrays.stream(shares)
        .mapToDouble(mode -> Arrays.stream(mode).max().orElse(1))
        .reduce(1, (a, b) -> a * b);
  }

  /** Most slices of a layer, in any mode. */
  public long longestLayer() {
    return Arrays.stream(starts)
        .flatMapToLong(
            mode -> IntStream.range(1, mode.length).mapToLong(l -> mode[l] - mode[l - 1]))
        .max()
        .orElse(0);
  }

  /** The tiles as partitions of a mode: those with the same layer are pieces of one range. */
  public ModePartitioning along(int mode) {
    int pieces = tiles() / (starts[mode].length - 1);
    List<SliceRange> ranges =
        IntStream.range(0, tiles())
            .mapToObj(
                p -> {
                  int layer = p / pieces;
                  long from = starts[mode][layer];
                  return new SliceRange(from, starts[mode][layer + 1], p % pieces, pieces);
                })
            .toList();
    return new ModePartitioning(mode, starts[mode][starts[mode].length - 1], ranges, this);
  }

  /** The partitions of a mode that the entries of a block are in, into {@code into[0..size)}. */
  void partitions(int mode, CooBlock block, int[] into) {
    Arrays.fill(into, 0, block.size(), 0);
    layers[mode].append(block, mode, into);
    for (int other = 0; other < layers.length; other++) {
      if (other != mode) {
        layers[other].append(block, other, into);
      }
    }
  }

  /** The layers of the tile that is partition {@code partition} of a mode. */
  private int[] layersOf(int mode, int partition) {
    int[] layers = new int[starts.length];
    int left = partition;
    for (int other = starts.length - 1; other >= 0; other--) {
      if (other != mode) {
        layers[other] = left % (starts[other].length - 1);
        left /= starts[other].length - 1;
      }
    }
    layers[mode] = left;
    return layers;
  }

  /** The number of a tile, which does not depend on the mode that it is a partition of. */
  int tile(int mode, int partition) {
    int[] layers = layersOf(mode, partition);
    int tile = 0;
    for (int m = 0; m < layers.length; m++) {
      tile = tile * (starts[m].length - 1) + layers[m];
    }
    return tile;
  }

  /** Share of the entries that a tile has if modes do not depend on one another. */
  double share(int mode, int partition) {
    int[] layers = layersOf(mode, partition);
    double share = 1;
    for (int m = 0; m < layers.length; m++) {
      share *= shares[m][layers[m]];
    }
    return share;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Grid that && Arrays.deepEquals(starts, that.starts);
  }

  @Override
  public int hashCode() {
    return Arrays.deepHashCode(starts);
  }

  /** As {@code 4 x 2 x 1}. */
  @Override
  public String toString() {
    return Arrays.stream(layers()).mapToObj(Integer::toString).collect(Collectors.joining(" x "));
  }
}
