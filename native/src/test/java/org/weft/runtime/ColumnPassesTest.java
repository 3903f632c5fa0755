package org.weft.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;

/** Passes over counts against streams, and what is outside of the arrays. */
class ColumnPassesTest {
  private static int[] counts(Random random, int size) {
    return random.ints(size, 0, random.nextBoolean() ? 9 : Integer.MAX_VALUE).toArray();
  }

  @Test
  void sumsAndNumbersAreThoseOfTheRange() {
    Random random = new Random(3);
    for (int round = 0; round < 300; round++) {
      int[] counts = counts(random, random.nextInt(200));
      int to = random.nextInt(counts.length + 1);
      int from = random.nextInt(to + 1);
      assertThat(ColumnPasses.sum(counts, from, to))
          .isEqualTo(Arrays.stream(counts, from, to).asLongStream().sum());
      assertThat(ColumnPasses.nonzero(counts, from, to))
          .isEqualTo((int) Arrays.stream(counts, from, to).filter(c -> c > 0).count());
      long[] running = ColumnPasses.runningSums(counts, to);
      assertThat(running).hasSize(to + 1);
      assertThat(running[from]).isEqualTo(ColumnPasses.sum(counts, 0, from));
      assertThat(running[to]).isEqualTo(ColumnPasses.sum(counts, 0, to));
    }
  }

  @Test
  void leastAndOrderAreThoseOfTheRange() {
    Random random = new Random(4);
    for (int round = 0; round < 300; round++) {
      int[] column = random.ints(1 + random.nextInt(100), -3, 1 + random.nextInt(9)).toArray();
      int to = 1 + random.nextInt(column.length);
      int from = random.nextInt(to);
      if (round % 3 == 0) {
        Arrays.sort(column, from, to);
      }
      int[] range = Arrays.copyOfRange(column, from, to);
      assertThat(ColumnPasses.least(column, from, to))
          .isEqualTo(Arrays.stream(range).min().orElseThrow());
      int[] ascending = range.clone();
      Arrays.sort(ascending);
      assertThat(ColumnPasses.ascends(column, from, to)).isEqualTo(Arrays.equals(range, ascending));
    }
    assertThat(ColumnPasses.ascends(new int[0], 0, 0)).isTrue();
    assertThatThrownBy(() -> ColumnPasses.least(new int[3], 2, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void elementsAreInTheLastRangeThatStartsNoLater() {
    Random random = new Random(5);
    for (int round = 0; round < 300; round++) {
      long end = 1 + random.nextInt(200);
      long[] starts = random.longs(1 + random.nextInt(20), 0, end).toArray();
      starts[0] = 0;
      Arrays.sort(starts);
      int[] column = random.ints(random.nextInt(100), 0, (int) end).toArray();
      int[] found = new int[column.length];
      assertThat(ColumnPasses.ranges(column, column.length, starts, end, found)).isTrue();
      for (int e = 0; e < column.length; e++) {
        int expected = starts.length - 1;
        while (starts[expected] > column[e]) {
          expected--;
        }
        assertThat(found[e]).isEqualTo(expected);
      }
    }
  }

  @Test
  void elementsOutsideOfAllRangesAreReported() {
    long[] starts = {0, 4};
    assertThat(ColumnPasses.ranges(new int[] {0, 9}, 2, starts, 10, new int[2])).isTrue();
    assertThat(ColumnPasses.ranges(new int[] {0, 10}, 2, starts, 10, new int[2])).isFalse();
    assertThat(ColumnPasses.ranges(new int[] {-1}, 1, starts, 10, new int[1])).isFalse();
  }

  @Test
  void heightsAreCountedOrReturned() {
    int[] counts = {4, 0, 5, 4, 1 << 30, 3, 5, 4};
    int[] heights = new int[5];
    assertThat(ColumnPasses.heights(counts, 7, heights)).containsExactly(5, 1 << 30, 5);
    assertThat(heights).containsExactly(1, 0, 0, 1, 2);
  }

  @Test
  void numbersAreAddedToTheirBuckets() {
    int[] counts = {1, 1, 1, 1};
    ColumnPasses.addCounts(new long[] {5, 6, 7, 8}, 3, 1, 1, 1, counts);
    assertThat(counts).containsExactly(1, 6, 7, 8);
    ColumnPasses.addCounts(new long[] {5, 6, 7, 8}, 4, 12, 0, 2, counts);
    assertThat(counts).containsExactly(1, 6, 7, 34);
  }

  @Test
  void numbersAreSummedUpToALimit() {
    long[] numbers = {1, Long.MAX_VALUE - 3, 2, -1};
    assertThat(ColumnPasses.sumWithin(numbers, 3, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(ColumnPasses.sumWithin(numbers, 3, Long.MAX_VALUE - 1)).isEqualTo(-1);
    assertThat(ColumnPasses.sumWithin(numbers, 4, Long.MAX_VALUE)).isEqualTo(-1);
    assertThat(ColumnPasses.sumWithin(numbers, 0, 0)).isZero();
  }

  @Test
  void rowsAreScaled() {
    double[] rows = {1, 2, 3, 4, 5, 6};
    ColumnPasses.scaleRows(rows, 2, new double[] {10, -0.5});
    assertThat(rows).containsExactly(10, -1, 30, -2, 5, 6);
    ColumnPasses.scaleRows(rows, 6, new double[0]);
    assertThatThrownBy(() -> ColumnPasses.scaleRows(rows, 4, new double[2]))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ColumnPasses.scaleRows(rows, -1, new double[2]))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(rows).containsExactly(10, -1, 30, -2, 5, 6);
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void elementsAreAdded(ElementType type) {
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      NativeArray to = scope.allocate(type, 70);
      NativeArray from = scope.allocate(type, 68);
      if (!type.isFloating()) {
        assertThatThrownBy(() -> ColumnPasses.add(from, 1, to, 0))
            .isInstanceOf(IllegalArgumentException.class);
        return;
      }
      for (int i = 0; i < 70; i++) {
        to.setDouble(i, i);
        from.setDouble(Math.min(i, 67), 1000.5);
      }
      ColumnPasses.add(from, 67, to, 2);
      for (int i = 0; i < 70; i++) {
        assertThat(to.getDouble(i)).isEqualTo(i < 2 || i == 69 ? i : i + 1000.5);
      }
      for (long[] outside : new long[][] {{69, 0}, {68, 3}, {1, 70}, {-1, 0}, {1, -1}}) {
        assertThatThrownBy(() -> ColumnPasses.add(from, outside[0], to, outside[1]))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void elementsOfEachTypeAreMarked(ElementType type) {
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      NativeArray elements = scope.allocate(type, 5);
      for (int i = 0; i < 5; i++) {
        elements.setLong(i, 50L * i);
      }
      if (type.isFloating()) {
        assertThatThrownBy(() -> ColumnPasses.bits(elements, 1, 201))
            .isInstanceOf(IllegalArgumentException.class);
        return;
      }
      assertThat(ColumnPasses.bits(elements, 1, 201).stream())
          .containsExactly(0, 50, 100, 150, 200);
      assertThat(ColumnPasses.bits(elements, 60, 4).stream()).containsExactly(0, 1, 2, 3);
      assertThatThrownBy(() -> ColumnPasses.bits(elements, 1, 192))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> ColumnPasses.bits(elements, 0, 192))
          .isInstanceOf(IllegalArgumentException.class);
      if (type == ElementType.I32 || type == ElementType.I64) {
        elements.setLong(3, -1);
        assertThatThrownBy(() -> ColumnPasses.bits(elements, 1, 201))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
    }
  }

  @Test
  void columnsAreLookedUp() {
    int[] table = {7, 5, 3};
    assertThat(ColumnPasses.lookUp(new int[] {2, 0, 0, 9}, 3, table)).containsExactly(3, 7, 7);
    assertThat(ColumnPasses.lookUp(new int[0], 0, new int[0])).isEmpty();
    for (int[] wrong : new int[][] {{3}, {-1}, {Integer.MAX_VALUE}, {Integer.MIN_VALUE}}) {
      assertThatThrownBy(() -> ColumnPasses.lookUp(wrong, 1, table))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> ColumnPasses.lookUp(new int[1], 2, table))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void nothingOutsideAnArrayIsTouched() {
    int[] counts = new int[4];
    long[] numbers = new long[4];
    for (Runnable outside :
        new Runnable[] {
          () -> ColumnPasses.sum(counts, -1, 2),
          () -> ColumnPasses.sum(counts, 0, 5),
          () -> ColumnPasses.nonzero(counts, 3, 2),
          () -> ColumnPasses.runningSums(counts, 5),
          () -> ColumnPasses.heights(counts, 5, counts),
          () -> ColumnPasses.sumWithin(numbers, 5, 9),
          () -> ColumnPasses.addCounts(numbers, 5, 0, 0, 0, counts),
          () -> ColumnPasses.addCounts(numbers, 2, 3, 0, 0, counts),
          () -> ColumnPasses.addCounts(numbers, 1, 2, 1, 0, counts),
          () -> ColumnPasses.addCounts(numbers, 1, -1, 0, 0, counts),
          () -> ColumnPasses.addCounts(numbers, 1, 1L << 62, 2, 0, counts),
          () -> ColumnPasses.addCounts(numbers, 2, Long.MAX_VALUE, 0, 62, counts),
        }) {
      assertThatThrownBy(outside::run).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}
