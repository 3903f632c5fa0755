package org.weft.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;
import org.weft.statistics.SliceSample;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;

class SampledRowsTest {
  private static final int ROWS = 3_000;
  private static final int PLACES = 4;

  /** Entries of rows that lie anywhere in a mode, whose last slice has one. */
  private static TensorStatistics statistics(long size) {
    Random random = new Random(size);
    CooBlock.Builder block = new CooBlock.Builder(2, 20_000);
    block.add(new long[] {0, size - 1}, 1);
    for (int e = 1; e < 20_000; e++) {
      block.add(new long[] {random.nextInt(ROWS), (long) (random.nextDouble() * (size - 1))}, 1);
    }
    return TensorStatistics.builder(2).sampling().add(block.build()).build();
  }

  private static ModePartitioning cut(long size) {
    List<SliceRange> ranges = new ArrayList<>();
    for (int p = 0; p < PLACES; p++) {
      long to = p == PLACES - 1 ? size : size / PLACES * (p + 1);
      ranges.add(new SliceRange(size / PLACES * p, to, 0, 1));
    }
    return new ModePartitioning(1, size, ranges);
  }

  private static double pairs(TensorStatistics statistics, long size) {
    return new SampledRows(statistics, 0)
        .pairs(List.of(cut(size)), PLACES, slice -> 0, entries -> 2.5);
  }

  private static double tiles(TensorStatistics statistics, long size) {
    return new SampledRows(statistics, 0).tiles(List.of(cut(size)), entries -> 3.5);
  }

  /** Blocks of the largest modes end where numbers do. */
  @ParameterizedTest
  @ValueSource(
      longs = {
        512,
        1L << 40,
        1L << 62,
        Long.MAX_VALUE - (1L << 54),
        Long.MAX_VALUE - (1L << 54) + 2,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE
      })
  void rowsAreCountedInModesOfAnySize(long size) {
    TensorStatistics statistics = statistics(size);
    assertThat(pairs(statistics, size)).isBetween(0.5 * ROWS, 3.0 * ROWS);
    assertThat(tiles(statistics, size)).isBetween(1.0 * ROWS, 4.0 * ROWS);
  }

  /** No slice need be drawn: modes are taken as independent then. */
  @Test
  void anEmptySampleLeavesWhatIsUsual() {
    TensorStatistics statistics = statistics(1L << 20);
    int level = statistics.samples().get(0).level();
    SliceSample none = SliceSample.of(0, level, new long[0], statistics.histograms());
    TensorStatistics empty = statistics.withSamples(List.of(none, statistics.samples().get(1)));
    double rows = statistics.histogram(0).nonemptyBetween(0, ROWS);
    assertThat(pairs(empty, 1L << 20)).isEqualTo(2.5 * rows);
    assertThat(tiles(empty, 1L << 20)).isEqualTo(3.5 * rows);
  }
}
