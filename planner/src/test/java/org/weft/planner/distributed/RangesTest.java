package org.weft.planner.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.statistics.ModeHistogram;

class RangesTest {
  /** Also sizes that a double does not hold, and whose last bucket ends beyond all numbers. */
  @ParameterizedTest
  @ValueSource(
      longs = {1, 5, 1 << 22, (1 << 22) + 1, (1L << 53) + 1, (1L << 62) + 1, Long.MAX_VALUE})
  void everyCoordinateLiesInOneRange(long size) {
    ModeHistogram counts = new ModeHistogram();
    List<Long> coordinates = List.of(0L, size / 3, size / 2, size - 1);
    coordinates.forEach(counts::add);
    ModeHistogram last = new ModeHistogram();
    last.add(size - 1, 4);
    for (int parts = 1; parts <= 4; parts++) {
      for (Ranges ranges :
          List.of(
              Ranges.equal(size, parts),
              Ranges.ofEqualEntries(size, List.of(counts), parts),
              Ranges.ofEqualEntries(size, List.of(last), parts),
              Ranges.ofEqualEntries(size, List.of(counts, last), parts))) {
        assertThat(ranges.size()).isEqualTo(size);
        assertThat(ranges.from(0)).isZero();
        for (long coordinate : coordinates) {
          int part = ranges.partOf(coordinate);
          assertThat(coordinate - ranges.from(part)).isBetween(0L, ranges.length(part) - 1);
        }
      }
    }
  }
}
