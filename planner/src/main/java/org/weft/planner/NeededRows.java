package org.weft.planner;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.weft.planner.kernel.Merge;
import org.weft.planner.machine.Resources;
import org.weft.planner.partition.Grid;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.RowUnits;
import org.weft.planner.partition.SliceRange;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;

/**
 * Predicts the rows of factors that executors get from one another in an iteration.
 *
 * <p>Each of p executors has a p-th of the entries of every form and makes a p-th of the rows of
 * every mode. If a slice of h entries lies in the forms of n modes regardless of where its entries
 * lie otherwise, an executor that does not make its row needs it with probability {@code 1 - (1 -
 * 1/p)^(h n)}.
 *
 * <p>If one form serves all modes, an executor needs the rows that its entries have in modes other
 * than the root, and sends what it makes of them to where they are added up.
 *
 * <p>In a grid, the entries of a slice are spread over the t tiles of its layer. The row of a slice
 * of h entries concerns {@code t (1 - (1 - 1/t)^h)} of them, of which one has the row. The others
 * send what they make of it, and get the row.
 *
 * <p>Where the statistics have samples, {@link SampledRows} counts where entries do lie.
 */
final class NeededRows {
  private final List<ModePlan> modes;
  private final TensorStatistics statistics;
  private final int executors;

  NeededRows(List<ModePlan> modes, TensorStatistics statistics, Resources resources) {
    this.modes = modes;
    this.statistics = statistics;
    this.executors = resources.executors();
  }

  /** Whether the passes make rows of one another's operands, which executors exchange. */
  boolean arePassed() {
    return modes.size() > 1
        && modes.stream().allMatch(pass -> pass.kernel().merge() != Merge.ENTRIES);
  }

  /** Bytes of the rows that one pass makes and other executors need, and of parts of rows. */
  double bytes(ModePlan pass) {
    return rows(pass) * rowBytes(pass);
  }

  static double rowBytes(ModePlan pass) {
    return pass.kernel().rank() * (double) pass.kernel().tensorFormat().valueType().bytes();
  }

  private double rows(ModePlan pass) {
    int mode = pass.mode();
    ModePartitioning cut = pass.partitioning();
    Grid grid = cut.grid();
    if (grid != null) {
      double rows = nonempty(statistics.histogram(mode));
      return 2 * Math.max(0, inTiles(pass, pass.range(0).pieces()) - rows);
    }
    List<ModePartitioning> readers =
        others(pass)
            .map(ModePlan::partitioning)
            .filter(reader -> reader.mode() != mode)
            .distinct()
            .toList();
    if (pass.kernel().merge() == Merge.SUM) {
      double parts = pairs(mode, List.of(cut), cut.partitions(), even(pass, cut.partitions()));
      double elsewhere = (1 - 1.0 / executors) / (1 - 1.0 / Math.max(2, cut.partitions()));
      return parts * elsewhere + pairs(mode, readers, executors, even(pass, executors));
    }
    double needed =
        readers.isEmpty() ? 0 : pairs(mode, readers, executors, slice -> home(cut, slice));
    return needed + inPieces(cut);
  }

  /** Where rows are added up that no partition has alone: in ranges of whole units, in order. */
  private SampledRows.Place even(ModePlan pass, int places) {
    long rows = statistics.shape().size(pass.mode());
    int partitions = pass.partitioning().partitions();
    long[] starts = RowUnits.starts(rows, pass.kernel().rank(), partitions);
    return slice -> {
      int found = Arrays.binarySearch(starts, slice);
      long range = found >= 0 ? found : -found - 2;
      return (int) (range * places / partitions);
    };
  }

  private Stream<ModePlan> others(ModePlan pass) {
    return modes.stream().filter(other -> other.mode() != pass.mode());
  }

  /** The executor that makes a row. */
  private int home(ModePartitioning cut, long slice) {
    int low = 0;
    int high = cut.partitions() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (cut.firstRow(middle) <= slice) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return (int) ((long) low * executors / cut.partitions());
  }

  /** Pairs of a row and a place that needs it, and is not the row's own. */
  private double pairs(
      int mode, List<ModePartitioning> readers, int places, SampledRows.Place own) {
    int forms = readers.size();
    if (SampledRows.areKnown(statistics)) {
      return new SampledRows(statistics, mode)
          .pairs(
              readers,
              places,
              own,
              entries -> (places - 1) * touches(places, (double) entries * forms));
    }
    double rows = statistics.shape().size(mode);
    return (places - 1) * Math.min(rows, touched(statistics.histogram(mode), places, forms));
  }

  /** Pairs of a row and a tile that has entries of it. */
  private double inTiles(ModePlan pass, int tiles) {
    if (SampledRows.areKnown(statistics)) {
      List<ModePartitioning> layers = others(pass).map(ModePlan::partitioning).toList();
      return new SampledRows(statistics, pass.mode())
          .tiles(layers, entries -> tiles * touches(tiles, entries));
    }
    return tiles * touched(statistics.histogram(pass.mode()), tiles, 1);
  }

  /** Parts of the rows of split ranges that are sent to be added up. */
  private double inPieces(ModePartitioning cut) {
    double parts = 0;
    ModeHistogram histogram = statistics.histogram(cut.mode());
    for (SliceRange range : cut.ranges()) {
      if (range.pieces() > 1 && range.piece() == 0) {
        double rows = histogram.nonemptyBetween(range.from(), range.to());
        double entries = histogram.countBetween(range.from(), range.to()) / Math.max(1, rows);
        parts += rows * Math.max(0, range.pieces() * touches(range.pieces(), entries) - 1);
      }
    }
    return parts * (1 - 1.0 / executors);
  }

  /** Rows and parts of rows that go from one to another of the tiles of a layer, by entries. */
  static double exchanged(ModeHistogram histogram, int tiles) {
    return 2 * Math.max(0, tiles * touched(histogram, tiles, 1) - nonempty(histogram));
  }

  private static double nonempty(ModeHistogram histogram) {
    return histogram.nonemptyBetween(0, histogram.largestCoordinate() + 1);
  }

  /** Rows that one of several has entries of, of which {@code forms} are spread alike. */
  private static double touched(ModeHistogram histogram, int among, int forms) {
    double width = histogram.bucketWidth();
    double[] touched = {0};
    histogram.forEachHeight(
        (height, buckets) ->
            touched[0] += buckets * width * touches(among, height / width * forms));
    return touched[0];
  }

  /** The chance that one of several has some of so many entries. */
  private static double touches(int among, double entries) {
    return 1 - Math.pow(1 - 1.0 / among, entries);
  }
}
