package org.weft.planner.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.statistics.ModeHistogram;
import org.weft.tensor.CooBlock;

class EqualNonzerosTest extends PartitionerContract {
  private final EqualNonzeros equalNonzeros = new EqualNonzeros();

  @Override
  Partitioner partitioner() {
    return equalNonzeros;
  }

  private static void assertWithin(
      double tolerance, ModePartitioning p, ModeHistogram h, int partitions) {
    double mean = h.total() / (double) partitions;
    assertThat(p.partitions()).isEqualTo(partitions);
    assertThat(Arrays.stream(p.expectedEntries(h)).boxed())
        .allSatisfy(e -> assertThat(e).isBetween(mean * (1 - tolerance), mean * (1 + tolerance)));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void lightSlicesBalanceWithinFivePercentWithoutSplitting(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int trial = 0; trial < 30; trial++) {
      int partitions = 1 + random.nextInt(40);
      long[] slices = new long[partitions * (40 + random.nextInt(100))];
      for (int s = 0; s < slices.length; s++) {
        slices[s] = 50 + random.nextInt(50);
      }
      ModeHistogram h = histogram(slices);
      ModePartitioning p = equalNonzeros.partition(0, slices.length, h, partitions);
      assertWithin(0.05, p, h, partitions);
      assertThat(p.anyOverlapping()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void aSliceOfHalfTheEntriesDoesNotUnbalance(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int trial = 0; trial < 30; trial++) {
      int partitions = 4 + random.nextInt(12);
      long[] slices = new long[2000];
      long rest = 0;
      for (int s = 0; s < slices.length; s++) {
        slices[s] = 1 + random.nextInt(10);
        rest += slices[s];
      }
      int heavy = random.nextInt(slices.length);
      slices[heavy] += rest;
      ModeHistogram h = histogram(slices);
      ModePartitioning p = equalNonzeros.partition(0, slices.length, h, partitions);
      double mean = h.total() / (double) partitions;
      assertThat(Arrays.stream(p.expectedEntries(h)).boxed())
          .allSatisfy(e -> assertThat(e).isLessThan(1.3 * mean));
      assertThat(p.ranges().get(p.partitionOf(heavy, 0)).pieces() > 1).isTrue();
    }
  }

  @Test
  void noSliceHeavierThanAPartitionStaysWhole() {
    SplittableRandom random = new SplittableRandom(5);
    for (int trial = 0; trial < 200; trial++) {
      long[] slices = randomSlices(random);
      int partitions = 2 + random.nextInt(20);
      ModeHistogram h = histogram(slices);
      ModePartitioning p = equalNonzeros.partition(0, slices.length, h, partitions);
      double mean = h.total() / (double) partitions;
      double[] expected = p.expectedEntries(h);
      for (int i = 0; i < expected.length; i++) {
        assertThat(expected[i]).as("%s of %s", p.ranges().get(i), mean).isLessThan(2 * mean + 1);
      }
    }
  }

  @Test
  void aHeavySliceOfAWideModeIsSplitAlone() {
    long[] slices = new long[1_000_000];
    Arrays.fill(slices, 1);
    slices[77_777] = 1_000_000;
    ModeHistogram h = histogram(slices);
    ModePartitioning p = equalNonzeros.partition(0, slices.length, h, 12);
    for (SliceRange r : p.ranges()) {
      if (r.pieces() > 1) {
        assertThat(r.from()).isEqualTo(77_777);
        assertThat(r.to()).isEqualTo(77_778);
        assertThat(r.pieces()).isBetween(5, 7);
      }
    }
    assertThat(p.ranges().get(p.partitionOf(77_777, 0)).pieces() > 1).isTrue();
  }

  @Test
  void hashSharesAHeavySliceEvenly() {
    ModePartitioning p = equalNonzeros.partition(0, 1, histogram(100_000), 7);
    CooBlock.Builder entries = new CooBlock.Builder(3, 100_000);
    for (int e = 0; e < 100_000; e++) {
      entries.add(new long[] {0, e / 1000, e % 1000}, 1);
    }
    int[] found = new int[100_000];
    p.partitionsOf(entries.build(), found);
    int[] counts = new int[7];
    for (int partition : found) {
      counts[partition]++;
    }
    assertThat(Arrays.stream(counts).boxed())
        .allSatisfy(c -> assertThat(c).isBetween(13_500, 15_100));
  }
}
