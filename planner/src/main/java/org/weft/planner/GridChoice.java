package org.weft.planner;

import java.util.ArrayList;
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
  private final long[] sizes;
  private final List<ModeHistogram> histograms;
  private final Map<List<Integer>, Double> inTiles = new HashMap<>();

  GridChoice(TensorStatistics statistics) {
    sizes = statistics.shape().toArray();
    histograms = IntStream.range(0, sizes.length).mapToObj(statistics::histogram).toList();
  }

  /**
   * The grid that takes least time in an iteration, by the rows that tiles exchange and the work of
   * the heaviest tile; none if every grid has a longer layer than it may.
   *
   * @param kernelSeconds of all entries
   * @param rowSeconds that a row takes from one executor to another
   * @param mostSlices of a layer
   */
  Optional<Grid> cheapest(int tiles, double kernelSeconds, double rowSeconds, long mostSlices) {
    List<int[]> all = new ArrayList<>();
    addLayers(all, new int[sizes.length], 0, tiles);
    Grid best = null;
    double least = Double.POSITIVE_INFINITY;
    for (int[] layers : all) {
      Grid grid = Grid.of(sizes, histograms, layers);
      double seconds = kernelSeconds * grid.heaviestTile();
      for (int mode = 0; mode < sizes.length; mode++) {
        seconds += rowSeconds * exchangedRows(mode, tiles / layers[mode]);
      }
      if (seconds < least && grid.longestLayer() <= mostSlices) {
        best = grid;
        least = seconds;
      }
    }
    return Optional.ofNullable(best);
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
