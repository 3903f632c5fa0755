package org.weft.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;

/** Which parts of a file a partition is read from. */
class PartLayoutTest {
  /** Twenty parts of ten slices and 100 entries each. */
  private static final PartLayout TWENTY =
      new PartLayout(
          1,
          IntStream.range(0, 20)
              .mapToObj(p -> new PartLayout.Part(10L * p, 10L * p + 9, 100))
              .toList());

  private static ModePartitioning cut(int mode, long... ends) {
    return new ModePartitioning(
        mode,
        200,
        IntStream.range(0, ends.length)
            .mapToObj(p -> new SliceRange(p == 0 ? 0 : ends[p - 1], ends[p], 0, 1))
            .toList());
  }

  @Test
  void aPartitionHasThePartsThatMeetItsSlices() {
    List<List<Integer>> parts = TWENTY.partsOf(cut(1, 30, 95, 200));

    assertThat(parts.get(0)).containsExactly(0, 1, 2);
    assertThat(parts.get(1)).containsExactly(3, 4, 5, 6, 7, 8, 9);
    assertThat(parts.get(2)).startsWith(9, 10).endsWith(19).hasSize(11);
  }

  @Test
  void anotherModeHasNoPartsOfItsOwn() {
    assertThat(TWENTY.partsOf(cut(0, 30, 95, 200))).isEmpty();
  }

  @Test
  void onePartitionHasAllPartsWhateverTheMode() {
    assertThat(TWENTY.partsOf(cut(0, 200)).get(0)).hasSize(20);
  }

  @Test
  void noMoreThanAQuarterIsReadAgain() {
    assertThat(TWENTY.partsOf(cut(1, 5, 15, 25, 35, 45, 200))).hasSize(6); // five parts twice
    assertThat(TWENTY.partsOf(cut(1, 5, 15, 25, 35, 45, 55, 200))).isEmpty();
  }

  @Test
  void piecesOfASliceAreReadByEachOfTheirPartitions() {
    List<SliceRange> pieces =
        IntStream.range(0, 3).mapToObj(piece -> new SliceRange(0, 200, piece, 3)).toList();

    assertThat(TWENTY.partsOf(new ModePartitioning(1, 200, pieces))).isEmpty();
  }

  @Test
  void aFileWithoutPartsSaysNothing() {
    assertThat(new PartLayout(1, List.of()).partsOf(cut(1, 200))).isEmpty();
  }
}
