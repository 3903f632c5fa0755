package org.weft.planner;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongToDoubleFunction;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.SliceSample;
import org.weft.statistics.TensorStatistics;

/**
 * Where the entries of rows of a mode lie, by a sample of the mode's slices.
 *
 * <p>The entries of a slice are taken to lie in the blocks of another mode that the sample knows,
 * in proportion to all entries of those blocks. They count as no more than as many entries drawn at
 * random as would lie in as many blocks, since entries of a slice may repeat a few slices of the
 * other mode. The sums over the sample are compared with those of the same slices whose entries are
 * drawn at random from all blocks. The proportion stands for all rows, beside what is predicted for
 * modes that do not depend on one another: the number of entries decides most, and errors of both
 * sums cancel.
 */
final class SampledRows {
  /** So few entries of a slice cannot be told from none. */
  private static final double LEAST_MISS = 1e-12;

  private static final int STEPS = 2; // of the numbers of draws, for each doubling

  private final TensorStatistics statistics;
  private final int mode;
  private final SliceSample sample;
  private final Map<Integer, Blocks> blocks = new HashMap<>();

  /** The place that has the row of a slice. */
  interface Place {
    int of(long slice);
  }

  SampledRows(TensorStatistics statistics, int mode) {
    this.statistics = statistics;
    this.mode = mode;
    this.sample = statistics.samples().get(mode);
  }

  static boolean areKnown(TensorStatistics statistics) {
    return !statistics.samples().isEmpty() && statistics.entries() > 0;
  }

  /**
   * Pairs of a row and a place that has entries of it, and is not the row's own place.
   *
   * @param readers partitionings along other modes
   * @param places among which the partitions of each are dealt in order
   * @param usual the places other than its own that need a row of so many entries, for modes that
   *     do not depend on one another
   */
  double pairs(List<ModePartitioning> readers, int places, Place own, LongToDoubleFunction usual) {
    List<Misses> misses = readers.stream().map(reader -> misses(reader, places)).toList();
    return scaled(
        (slice, drawn) -> {
          double[] untouched = new double[places]; // logarithms
          for (int r = 0; r < readers.size(); r++) {
            Blocks of = blocks(readers.get(r).mode());
            of.addMisses(slice, of.touched(slice, drawn), misses.get(r), untouched);
          }
          int home = own.of(slice);
          double found = 0;
          for (int place = 0; place < places; place++) {
            found += place == home ? 0 : -Math.expm1(untouched[place]);
          }
          return found;
        },
        usual);
  }

  /**
   * Pairs of a row and a tile of its layer that has entries of it.
   *
   * @param others the layers of the other modes, as ranges
   * @param usual the tiles that have entries of a row of so many, for modes that do not depend on
   *     one another
   */
  double tiles(List<ModePartitioning> others, LongToDoubleFunction usual) {
    List<double[][]> shares = others.stream().map(this::shares).toList();
    return scaled((slice, drawn) -> tiles(slice, drawn, others, shares), usual);
  }

  private double tiles(
      long slice, boolean drawn, List<ModePartitioning> others, List<double[][]> shares) {
    long entries = entriesOf(slice);
    double[] tiles = {1};
    for (int o = 0; o < others.size() - 1; o++) {
      double[] layers = layers(slice, drawn, others.get(o), shares.get(o));
      double[] finer = new double[tiles.length * layers.length];
      for (int t = 0; t < finer.length; t++) {
        finer[t] = tiles[t / layers.length] * layers[t % layers.length];
      }
      tiles = finer;
    }
    int last = others.size() - 1;
    double found = 0;
    double[] layers = layers(slice, drawn, others.get(last), shares.get(last));
    for (double tile : tiles) {
      for (double layer : layers) {
        found += meets(Math.max(tile, layer), entries * Math.min(tile, layer));
      }
    }
    return found;
  }

  private double[] layers(long slice, boolean drawn, ModePartitioning other, double[][] shares) {
    Blocks of = blocks(other.mode());
    return of.layers(of.touched(slice, drawn), shares);
  }

  /** The chance that one of some entries is among those of a share that is dealt anew. */
  private static double meets(double share, double entries) {
    return -Math.expm1(entries * Math.log1p(-Math.min(share, 1 - LEAST_MISS)));
  }

  /** What is counted of a slice, whose blocks are those of the sample, or drawn at random. */
  private interface Count {
    double of(long slice, boolean drawn);
  }

  /**
   * The count for all rows. That of the sample is compared with that of the same slices with blocks
   * that are drawn as if modes did not depend on one another, so that errors of both cancel.
   */
  private double scaled(Count count, LongToDoubleFunction usual) {
    double found = 0;
    double expected = 0;
    for (long slice : sample.slices()) {
      found += count.of(slice, false);
      expected += sample.isWhole() ? 0 : count.of(slice, true);
    }
    if (sample.isWhole()) {
      return found;
    }
    ModeHistogram histogram = statistics.histogram(mode);
    double width = histogram.bucketWidth();
    double[] all = {0};
    histogram.forEachHeight(
        (height, buckets) -> {
          double slices = Math.min(height, width);
          all[0] += buckets * slices * usual.applyAsDouble(Math.round(height / slices));
        });
    return expected == 0 ? all[0] : found * all[0] / expected; // no slice may be drawn
  }

  private long entriesOf(long slice) {
    return Math.max(1, Math.round(statistics.histogram(mode).countBetween(slice, slice + 1)));
  }

  private Blocks blocks(int other) {
    return blocks.computeIfAbsent(other, Blocks::new);
  }

  /**
   * By block of the reader's mode and place: the logarithms of the chances that an entry of the
   * block does not lie there.
   *
   * @param ranges in ranges that the place has whole, where entries of one slice are as one
   * @param pieces in pieces of ranges, over which the entries of one slice are spread as well
   */
  private record Misses(double[][] ranges, double[][] pieces) {}

  private Misses misses(ModePartitioning reader, int places) {
    Blocks of = blocks(reader.mode());
    return new Misses(
        logarithms(of.shares(reader, places, Share.OF_RANGES)),
        logarithms(of.shares(reader, places, Share.OF_PIECES)));
  }

  private static double[][] logarithms(double[][] shares) {
    for (double[] block : shares) {
      Arrays.setAll(block, place -> Math.log(Math.max(LEAST_MISS, 1 - block[place])));
    }
    return shares;
  }

  private double[][] shares(ModePartitioning layers) {
    int count = (int) layers.ranges().stream().filter(range -> range.piece() == 0).count();
    return blocks(layers.mode()).shares(layers, count, Share.OF_LAYERS);
  }

  /** What a place has of a mode: ranges of slices, pieces of ranges, or a layer of a grid. */
  private enum Share {
    OF_RANGES,
    OF_PIECES,
    OF_LAYERS;

    boolean counts(SliceRange slices) {
      return switch (this) {
        case OF_RANGES -> slices.pieces() == 1;
        case OF_PIECES -> slices.pieces() > 1;
        case OF_LAYERS -> slices.piece() == 0; // one of its tiles
      };
    }
  }

  /** The blocks of another mode, and all entries that they have. */
  private final class Blocks {
    private final int other;
    private final double[] entries;
    private final double[] ends; // entries of a block and those before it
    private final double[] draws; // ascending
    private final double[] occupied; // blocks, by entries drawn at random

    Blocks(int other) {
      this.other = other;
      ModeHistogram histogram = statistics.histogram(other);
      long width = sample.blockWidth(other);
      entries = new double[(int) (histogram.largestCoordinate() / width) + 1];
      Arrays.setAll(entries, b -> histogram.countBetween(b * width, end(b, width, histogram)));
      ends = entries.clone();
      Arrays.parallelPrefix(ends, Double::sum);
      double all = statistics.entries();
      int steps = (int) (STEPS * Math.ceil(Math.log(all) / Math.log(2))) + 1;
      draws = new double[steps];
      occupied = new double[steps];
      for (int s = 0; s < steps; s++) {
        draws[s] = Math.pow(2, (double) s / STEPS);
        for (double block : entries) {
          occupied[s] -= Math.expm1(draws[s] * Math.log(Math.max(LEAST_MISS, 1 - block / all)));
        }
      }
    }

    /** Where a block ends. The last one would end beyond all numbers in a mode of 2^63 slices. */
    private long end(int block, long width, ModeHistogram histogram) {
      boolean last = block == entries.length - 1;
      return last ? histogram.largestCoordinate() + 1 : (block + 1) * width;
    }

    /** By block and place: the share of the block's entries. */
    double[][] shares(ModePartitioning cut, int places, Share share) {
      ModeHistogram histogram = statistics.histogram(other);
      long width = sample.blockWidth(other);
      double[][] shares = new double[entries.length][places];
      int range = -1;
      for (int p = 0; p < cut.partitions(); p++) {
        SliceRange slices = cut.ranges().get(p);
        range += slices.piece() == 0 ? 1 : 0;
        boolean layers = share == Share.OF_LAYERS;
        int place = layers ? range : (int) ((long) p * places / cut.partitions());
        long end = Math.min(slices.to(), histogram.largestCoordinate() + 1);
        for (long from = slices.from(); from < end && share.counts(slices); ) {
          int block = (int) (from / width);
          long to = Math.min(end, end(block, width, histogram));
          double some = histogram.countBetween(from, to) / (layers ? 1 : slices.pieces());
          shares[block][place] += some / Math.max(1, entries[block]);
          from = to;
        }
      }
      return shares;
    }

    /**
     * The blocks that a slice has entries in.
     *
     * @param drawn at random, as many entries as the slice has; the same each time
     */
    BitSet touched(long slice, boolean drawn) {
      if (!drawn) {
        return sample.blocks(slice, other);
      }
      SplittableRandom random = new SplittableRandom(slice * 31 + other);
      BitSet touched = new BitSet();
      long count = entriesOf(slice);
      double all = statistics.entries();
      if (count > entries.length) {
        for (int b = 0; b < entries.length; b++) {
          double miss = Math.exp(count * Math.log(Math.max(LEAST_MISS, 1 - entries[b] / all)));
          touched.set(b, random.nextDouble() >= miss);
        }
      }
      for (long e = touched.isEmpty() ? 0 : count; e < count; e++) {
        double at = random.nextDouble() * ends[ends.length - 1];
        int found = Arrays.binarySearch(ends, at);
        touched.set(Math.min(ends.length - 1, found >= 0 ? found + 1 : -found - 1));
      }
      return touched;
    }

    /** Adds the logarithms of the chances that places have no entry of a slice. */
    void addMisses(long slice, BitSet touched, Misses misses, double[] untouched) {
      double count = entriesOf(slice);
      double drawn = Math.min(count, drawn(touched.cardinality()));
      double all = total(touched);
      for (int b = touched.nextSetBit(0); b >= 0; b = touched.nextSetBit(b + 1)) {
        double share = entries[b] / all;
        double slices = Math.max(1, drawn * share);
        double here = Math.max(1, count * share);
        for (int place = 0; place < untouched.length; place++) {
          untouched[place] += slices * misses.ranges()[b][place] + here * misses.pieces()[b][place];
        }
      }
    }

    /** The shares of the entries of a slice, which lie in some blocks, that are in each layer. */
    double[] layers(BitSet touched, double[][] shares) {
      double all = total(touched);
      double[] layers = new double[shares[0].length];
      for (int b = touched.nextSetBit(0); b >= 0; b = touched.nextSetBit(b + 1)) {
        for (int layer = 0; layer < layers.length; layer++) {
          layers[layer] += entries[b] / all * shares[b][layer];
        }
      }
      return layers;
    }

    private double total(BitSet touched) {
      return touched.stream().mapToDouble(b -> entries[b]).sum();
    }

    /** Entries drawn at random that lie in so many blocks; all if these are nearly all blocks. */
    private double drawn(int blocks) {
      int at = Arrays.binarySearch(occupied, blocks);
      int above = at >= 0 ? at : -at - 1;
      if (above == 0) {
        return 1;
      }
      if (above == occupied.length || occupied[above] == occupied[above - 1]) {
        return Double.POSITIVE_INFINITY;
      }
      double part = (blocks - occupied[above - 1]) / (occupied[above] - occupied[above - 1]);
      return draws[above - 1] * Math.pow(draws[above] / draws[above - 1], part);
    }
  }
}
