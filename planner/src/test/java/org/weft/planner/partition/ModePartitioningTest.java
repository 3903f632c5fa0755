package org.weft.planner.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModePartitioningTest {
  private static final int MODE = 0;

  @ParameterizedTest
  @ValueSource(
      longs = {1, 2, 9, 10, 100, (1L << 62) - 1, 1L << 62, Long.MAX_VALUE - 1, Long.MAX_VALUE})
  void longRangesBecomeShorterOnes(long size) {
    ModePartitioning whole =
        new ModePartitioning(MODE, size, List.of(new SliceRange(0, size, 0, 1)));
    for (long parts : new long[] {1, 2, 3, 7, 10, 1000}) {
      long most = Math.max(1, size / parts);
      ModePartitioning shorter = whole.withSlicesUpTo(most);
      assertThat(shorter.ranges()).allMatch(range -> range.slices() <= most && range.slices() > 0);
      assertThat(shorter.ranges().get(shorter.partitions() - 1).to()).isEqualTo(size);
      assertThat(shorter.partitions())
          .isBetween((int) Math.min(size, parts), (int) parts + (int) Math.min(size, parts));
      assertThat(shorter.partitionOf(size - 1, 0)).isEqualTo(shorter.partitions() - 1);
    }
    assertThat(whole.withSlicesUpTo(Long.MAX_VALUE)).isSameAs(whole);
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 1000, 1L << 62, Long.MAX_VALUE})
  void piecesOfARangeHaveAscendingShares(long size) {
    int pieces = 4;
    List<SliceRange> ranges = new ArrayList<>();
    for (int piece = 0; piece < pieces; piece++) {
      ranges.add(new SliceRange(0, size, piece, pieces));
    }
    ModePartitioning split = new ModePartitioning(MODE, size, ranges);
    for (int piece = 0; piece < pieces; piece++) {
      assertThat(split.firstRow(piece))
          .isEqualTo(size / pieces * piece + size % pieces * piece / pieces);
    }
    assertThat(split.withSlicesUpTo(1).ranges()).isEqualTo(ranges);
  }
}
