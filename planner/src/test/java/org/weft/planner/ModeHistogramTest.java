package org.weft.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.error.WeftException;
import org.weft.planner.partition.EqualNonzeros;
import org.weft.statistics.HistogramBytes;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.SliceSummary;

class ModeHistogramTest {
  private static final boolean LONG = Boolean.getBoolean("weft.long");

  private static ModeHistogram of(long... coordinates) {
    ModeHistogram h = new ModeHistogram();
    for (long c : coordinates) {
      h.add(c);
    }
    return h;
  }

  private static long[] randomCoordinates(SplittableRandom random, int bits) {
    long[] coordinates = new long[5 + random.nextInt(500)];
    for (int e = 0; e < coordinates.length; e++) {
      coordinates[e] = random.nextLong(1L << random.nextInt(1, bits + 1));
    }
    return coordinates;
  }

  @Test
  void startsEmpty() {
    ModeHistogram h = new ModeHistogram();
    assertThat(h.total()).isZero();
    assertThat(h.buckets()).isZero();
    assertThat(h.largestCoordinate()).isEqualTo(-1);
    assertThat(h.bucketWidth()).isOne();
    assertThat(h.summary(7)).isEqualTo(new SliceSummary(0, 7, 0, 0, 0, 0, true));
  }

  @Test
  void isExactUpToTheBucketsAndDoublesBeyond() {
    ModeHistogram h = of(0, 1, 1, ModeHistogram.MAXIMUM_BUCKETS - 1);
    assertThat(h.isExact()).isTrue();
    assertThat(h.count(1)).isEqualTo(2);
    h.add(ModeHistogram.MAXIMUM_BUCKETS);
    assertThat(h.bucketWidth()).isEqualTo(2);
    assertThat(h.count(0)).isEqualTo(3);
    assertThat(h.count(ModeHistogram.MAXIMUM_BUCKETS / 2 - 1)).isOne();
    assertThat(h.count(ModeHistogram.MAXIMUM_BUCKETS / 2)).isOne();
    h.add(Long.MAX_VALUE);
    assertThat(h.bucketWidth()).isEqualTo(1L << 41);
    assertThat(h.count(0)).isEqualTo(5);
    assertThat(h.total()).isEqualTo(6);
  }

  @Test
  void orderOfAddingAndMergingDoesNotMatter() {
    SplittableRandom random = new SplittableRandom(1);
    for (int trial = 0; trial < (LONG ? 24 : 4); trial++) {
      long[] a = randomCoordinates(random, trial % 2 == 0 ? 12 : 40);
      long[] b = randomCoordinates(random, 24);
      ModeHistogram ab = of(a).merge(of(b));
      assertThat(ab).isEqualTo(of(b).merge(of(a)));
      ModeHistogram together = of(b);
      for (long c : a) {
        together.add(c);
      }
      assertThat(ab).isEqualTo(together);
      assertThat(ab).hasSameHashCodeAs(together);
    }
  }

  @Test
  void bulkAddEqualsSingleAdds() {
    SplittableRandom random = new SplittableRandom(2);
    long[] column = randomCoordinates(random, 30);
    int[] narrow = Arrays.stream(column).mapToInt(c -> (int) c).toArray();
    ModeHistogram fromLongs = new ModeHistogram();
    fromLongs.addAll(column, 0, column.length);
    ModeHistogram fromInts = new ModeHistogram();
    fromInts.addAll(narrow, 0, 5);
    fromInts.addAll(narrow, 5, narrow.length);
    fromInts.addAll(narrow, 3, 3);
    assertThat(fromLongs).isEqualTo(of(column)).isEqualTo(fromInts);
  }

  /** Of any width, in any pieces, whether they are narrower or wider than ours. */
  @Test
  void bucketsAreCountedAsTheirFirstSlices() {
    SplittableRandom random = new SplittableRandom(8);
    for (int round = 0; round < (LONG ? 200 : 60); round++) {
      int width = random.nextInt(12);
      long[] entries = new long[1 + random.nextInt(round % 20 == 0 ? 1 << 15 : 300)];
      for (int b = 0; b < entries.length; b++) {
        entries[b] = random.nextInt(3) > 0 ? 0 : random.nextLong(round % 7 == 0 ? 1L << 31 : 9);
      }
      long last = ((entries.length - 1L) << width) + random.nextInt(1 << width);
      ModeHistogram single = new ModeHistogram();
      for (int b = 0; b < entries.length; b++) {
        single.add(b == entries.length - 1 ? last : (long) b << width, entries[b]);
      }
      ModeHistogram bulk = new ModeHistogram();
      for (int end = entries.length; end > 0; ) {
        int begin = Math.max(0, end - 1 - random.nextInt(100));
        long slice = end == entries.length ? last : (end - 1L) << width;
        bulk.addBuckets(width, begin, slice, Arrays.copyOfRange(entries, begin, end), end - begin);
        end = begin;
      }
      assertThat(bulk).isEqualTo(single);
      long[] below = bulk.runningCounts();
      assertThat(below).hasSize(single.buckets() + 1);
      for (int b = 0; b < single.buckets(); b++) {
        assertThat(below[b + 1] - below[b]).isEqualTo(single.count(b));
      }
    }
  }

  @Test
  void bucketsThatCannotBeAreRefused() {
    ModeHistogram h = of(2);
    assertThatThrownBy(() -> h.addBuckets(0, 5, 7, new long[] {1, -3, 1}, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a negative number or too large ones in buckets 5 to 7");
    assertThatThrownBy(() -> h.addBuckets(0, 0, 0, new long[] {Long.MAX_VALUE}, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("in buckets 0 to 0");
    assertThat(h).isEqualTo(of(2));
  }

  @Test
  void countsBeyondAnInt() {
    ModeHistogram h = of(3);
    h.add(3, 5_000_000_000L);
    h.addAll(new int[] {3, 4}, 0, 2);
    h.addAll(new long[] {3, 400}, 0, 2);
    assertThat(h.count(3)).isEqualTo(5_000_000_003L);
    ModeHistogram sum = of(1, 1L << 30).merge(h);
    assertThat(sum.total()).isEqualTo(h.total() + 2);
    assertThat(sum.count(0)).isEqualTo(5_000_000_006L);
    assertThat(sum.count(1)).isZero();
    assertThat(sum.count(1 << 21)).isOne();
    assertThat(sum.bucketWidth()).isEqualTo(512);
  }

  @Test
  void serialisesCompactly() throws Exception {
    SplittableRandom random = new SplittableRandom(4);
    for (int trial = 0; trial < 10; trial++) {
      ModeHistogram h = of(randomCoordinates(random, 1 + trial * 6));
      assertThat(roundTrip(h)).isEqualTo(h);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
        out.writeObject(h);
      }
      try (ObjectInputStream in =
          new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
        assertThat(in.readObject()).isEqualTo(h);
      }
    }
    ModeHistogram light = of(0, ModeHistogram.MAXIMUM_BUCKETS - 1);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    HistogramBytes.write(light, new DataOutputStream(bytes));
    assertThat(bytes.size()).isLessThan(30);
  }

  @Test
  void refusesForeignBytes() {
    assertThatThrownBy(
            () ->
                HistogramBytes.read(
                    new DataInputStream(
                        new ByteArrayInputStream(new byte[] {9, 9, 9, 9, 9, 9, 9, 9, 9, 9}))))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("version 9");
  }

  @Test
  void refusesNegativeCoordinates() {
    ModeHistogram h = new ModeHistogram();
    assertThatThrownBy(() -> h.add(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> h.addAll(new int[] {1, -1}, 0, 2))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> h.addAll(new long[] {1, -1}, 0, 2))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(h.total()).isZero();
  }

  @Test
  void summaryCountsSlices() {
    ModeHistogram h = new ModeHistogram();
    for (int s = 0; s < 100; s++) {
      h.add(2L * s, s + 1);
    }
    assertThat(h.summary(250)).isEqualTo(new SliceSummary(100, 150, 1, 50, 99, 100, true));
  }

  @Test
  void summaryOfWideBucketsIsAnEstimate() {
    ModeHistogram h = new ModeHistogram();
    long size = 4L * ModeHistogram.MAXIMUM_BUCKETS;
    h.add(size - 1, 3); // a bucket of 4 slices with 3 entries
    h.add(0, 40);
    SliceSummary summary = h.summary(size);
    assertThat(summary).isEqualTo(new SliceSummary(7, size - 7, 1, 10, 10, 10, false));
  }

  @Test
  void countBetweenSharesBuckets() {
    ModeHistogram h = of(0, 1, 1, 5);
    assertThat(h.countBetween(0, 2)).isEqualTo(3);
    assertThat(h.countBetween(1, 5)).isEqualTo(2);
    assertThat(h.countBetween(0, 1000)).isEqualTo(4);
    assertThat(h.nonemptyBetween(0, 1000)).isEqualTo(3);
    h.add(2L * ModeHistogram.MAXIMUM_BUCKETS - 1);
    assertThat(h.countBetween(0, 1)).isEqualTo(1.5);
  }

  @Test
  void allSlicesHaveWhatTheirRangesHave() {
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < (LONG ? 60 : 20); round++) {
      long[] coordinates = randomCoordinates(random, round % 2 == 0 ? 10 : 26);
      ModeHistogram h = of(coordinates);
      long size = h.largestCoordinate() + 1;
      long cut = random.nextLong(size + 1) / h.bucketWidth() * h.bucketWidth();

      assertThat(h.countBetween(0, size)).isEqualTo(coordinates.length);
      assertThat(h.countBetween(0, cut) + h.countBetween(cut, size))
          .isCloseTo(coordinates.length, within(1e-9));
      assertThat(h.nonemptyBetween(0, size))
          .isEqualTo(h.nonemptyBetween(0, cut) + h.nonemptyBetween(cut, size));
    }
  }

  @Test
  void blocksOfSlicesHaveTheirEntries() {
    SplittableRandom random = new SplittableRandom(8);
    for (int round = 0; round < 60; round++) {
      long[] coordinates = randomCoordinates(random, round % 2 == 0 ? 10 : 16);
      long slices = round % 3 == 0 ? random.nextLong(1, 4) * 1024 : random.nextLong(1, 70);
      Map<Long, Long> blocks = new HashMap<>();
      for (long c : coordinates) {
        blocks.merge(c / slices, 1L, Long::sum);
      }
      List<Long> heights = new ArrayList<>();
      of(coordinates)
          .forEachHeight(
              slices,
              (height, number) -> heights.addAll(Collections.nCopies((int) number, height)));

      assertThat(heights).containsExactlyInAnyOrderElementsOf(blocks.values());
    }
  }

  @Test
  void shareOfHeaviestIsThatOfSortedCounts() {
    Random random = new Random(5);
    for (int round = 0; round < 50; round++) {
      ModeHistogram h = new ModeHistogram();
      int slices = 1 + random.nextInt(200);
      long[] counts = new long[slices];
      for (int s = 0; s < slices; s++) {
        counts[s] = random.nextInt(4) == 0 ? random.nextInt(200_000) : random.nextInt(5);
        h.add(s, counts[s]);
      }
      assertShares(h, counts);
      h.add(0, 1_000_000); // what was worked out before is not used again
      counts[0] += 1_000_000;
      assertShares(h, counts);
    }
    assertThat(new ModeHistogram().shareOfHeaviest(1)).isEqualTo(1);
  }

  private static void assertShares(ModeHistogram h, long[] counts) {
    long[] sorted = counts.clone();
    Arrays.sort(sorted);
    long total = Arrays.stream(counts).sum();
    double sum = 0;
    for (int heaviest = 0; heaviest <= counts.length; heaviest++) {
      double expected = total == 0 || heaviest >= h.buckets() ? 1 : sum / total;
      assertThat(h.shareOfHeaviest(heaviest)).as("%d of %s", heaviest, h).isEqualTo(expected);
      sum += heaviest < counts.length ? sorted[counts.length - 1 - heaviest] : 0;
    }
    assertThat(h.nonemptyBetween(0, counts.length))
        .isEqualTo(Arrays.stream(counts).filter(c -> c > 0).count());
  }

  private static ModeHistogram roundTrip(ModeHistogram h) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    HistogramBytes.write(h, new DataOutputStream(bytes));
    return HistogramBytes.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
  }

  @Test
  void coordinatesReachTheLargestLong() {
    ModeHistogram h = new ModeHistogram();
    h.add(Long.MAX_VALUE - 1);
    h.add(0);
    assertThat(h.countBetween(0, Long.MAX_VALUE)).isEqualTo(2);
    assertThat(h.nonemptyBetween(0, Long.MAX_VALUE)).isEqualTo(2);
    assertThat(new EqualNonzeros().partition(0, Long.MAX_VALUE, h, 2).partitions()).isEqualTo(2);
  }
}
