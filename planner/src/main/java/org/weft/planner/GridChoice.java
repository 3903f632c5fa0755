package org.weft.planner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.planner.partition.Grid;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;

/**
 * Chooses among all grids of a number of tiles, of which there are few: 286 of 1,024 tiles for four
 * modes.
 */
final class GridChoice {
  /**
   * Grids whose predictions differ by no more are alike. Predictions suppose that modes do not
   * depend on one another. In real tensors modes do: the slices of a layer meet few slices of other
   * modes, and a grid that cuts few modes exchanges less than predicted.
   */
  private static final double ALIKE = 1.03;

  private final long[] sizes;
  private final List<ModeHistogram> histograms;
  private final Map<List<Integer>, Double> inTiles = new HashMap<>();

  GridChoice(TensorStatistics statistics) {
    sizes = statistics.shape().toArray();
    histograms = IntStream.range(0, sizes.length).mapToObj(statistics::histogram).toList();
  }

  /**
   * The grid that takes least time in an iteration, by the rows that tiles exchange and the work of
   * the heaviest tile. Of grids that are alike, it is the one that cuts the fewest modes. None if
   * every grid has a longer layer than it may.
   *
   * @param kernelSeconds of all entries
   * @param rowSeconds that a row takes from one executor to another
   * @param mostSlices of a layer
   */
  Optional<Grid> cheapest(int tiles, double kernelSeconds, double rowSeconds, long mostSlices) {
    List<int[]> all = new ArrayList<>();
    addLayers(all, new int[sizes.length], 0, tiles);
    List<Candidate> candidates = new ArrayList<>();
    for (int[] layers : all) {
      Grid grid = Grid.of(sizes, histograms, layers);
      double rows = 0;
      for (int mode = 0; mode < sizes.length; mode++) {
        rows += exchangedRows(mode, tiles / layers[mode]);
      }
      double seconds = kernelSeconds * grid.heaviestTile() + rowSeconds * rows;
      if (grid.longestLayer() <= mostSlices) {
        candidates.add(new Candidate(grid, seconds, rows, unevenness(layers)));
      }
    }
    return candidates.stream()
        .min(Comparator.comparingDouble(Candidate::seconds))
        .flatMap(least -> candidates.stream().filter(least::isLike).max(Candidate.BY_UNEVENNESS))
        .map(Candidate::grid);
  }

  private record Candidate(Grid grid, double seconds, double rows, double unevenness) {
    static final Comparator<Candidate> BY_UNEVENNESS =
        Comparator.comparingDouble(Candidate::unevenness)
            .thenComparing(Candidate::seconds, Comparator.reverseOrder());

    boolean isLike(Candidate other) {
      return other.seconds <= ALIKE * seconds && other.rows <= ALIKE * rows;
    }
  }

  /** Large if few modes are cut, and these into different numbers of layers. */
  private static double unevenness(int[] layers) {
    return Arrays.stream(layers).mapToDouble(Math::log).map(log -> log * log).sum();
  }

  private double exchangedRows(int mode, int tiles) {
    return inTiles.computeIfAbsent(
        List.of(mode, tiles), key -> NeededRows.exchanged(histograms.get(mode), tiles));
  }

  /** All numbers of layers of the modes from {@code mode} on whose product is {@code tiles}. */
  private static void addLayers(List<int[]> all, int[] layers, int mode, int tiles) {
    if (mode == layers.length - 1) {
      layers[mode] = tiles;
      all.add(layers.clone());
      return;
    }
    for (int count = 1; count <= tiles; count++) {
      if (tiles % count == 0) {
        layers[mode] = count;
        addLayers(all, layers, mode + 1, tiles / count);
      }
    }
  }
}
