package org.weft.planner.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class GridTest {
  private static ModeHistogram histogram(int... slices) {
    TensorStatistics.Builder counts = TensorStatistics.builder(1);
    for (int slice = 0; slice < slices.length; slice++) {
      CooBlock.Builder block = new CooBlock.Builder(1, slices[slice]);
      for (int e = 0; e < slices[slice]; e++) {
        block.add(new long[] {slice}, 1);
      }
      counts.add(block.build());
    }
    return counts.build(TensorShape.of(slices.length)).histogram(0);
  }

  @Test
  void layersHaveAboutEqualEntries() {
    assertThat(Grid.cut(histogram(5, 1, 1, 1, 5, 1, 1, 1), 8, 2)).containsExactly(0, 4, 8);
    assertThat(Grid.cut(histogram(9, 1, 1, 1), 6, 3)).containsExactly(0, 1, 2, 6);
    assertThat(Grid.cut(histogram(4), 1, 3)).containsExactly(0, 1, 1, 1);
    assertThat(Grid.cut(histogram(), 7, 2)).containsExactly(0, 7, 7);
  }

  /** Every mode's partitions are the same tiles, and have the slices of their entries. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void tilesAreTheSameAlongEveryMode(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int order = 1 + random.nextInt(4);
    long[] sizes = random.longs(order, 1, 40).toArray();
    int[] layers = random.ints(order, 1, 5).toArray();
    CooBlock.Builder block = new CooBlock.Builder(order, 500);
    for (int e = 0; e < 500; e++) {
      long[] entry =
          Arrays.stream(sizes).map(size -> random.nextLong(1 + random.nextLong(size))).toArray();
      block.add(entry, 1);
    }
    CooBlock entries = block.build();
    TensorShape shape = TensorShape.of(sizes);
    TensorStatistics statistics = TensorStatistics.builder(order).add(entries).build(shape);
    List<ModeHistogram> histograms =
        IntStream.range(0, order).mapToObj(statistics::histogram).toList();
    Grid grid = Grid.of(sizes, histograms, layers);
    assertThat(grid.layers()).isEqualTo(layers);
    int[] tiles = new int[entries.size()];
    for (int mode = 0; mode < order; mode++) {
      ModePartitioning along = grid.along(mode);
      assertThat(IntStream.range(0, along.partitions()).map(along::place).sorted().toArray())
          .isEqualTo(IntStream.range(0, grid.tiles()).toArray());
      assertThat(Arrays.stream(along.expectedEntries(histograms.get(mode))).sum())
          .isBetween(499.99, 500.01);
      int[] found = new int[entries.size()];
      along.partitionsOf(entries, found);
      for (int e = 0; e < found.length; e++) {
        SliceRange range = along.ranges().get(found[e]);
        assertThat(entries.coordinate(mode, e)).isBetween(range.from(), range.to() - 1);
        int tile = along.place(found[e]);
        assertThat(tile).isEqualTo(mode == 0 ? tile : tiles[e]);
        tiles[e] = tile;
      }
    }
  }
}
