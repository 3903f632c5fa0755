package org.weft.planner.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.statistics.ModeHistogram;

/** What every {@link Partitioner} promises; one subclass per partitioner. */
abstract class PartitionerContract {
  abstract Partitioner partitioner();

  static ModeHistogram histogram(long... entriesPerSlice) {
    ModeHistogram h = new ModeHistogram();
    for (int s = 0; s < entriesPerSlice.length; s++) {
      h.add(s, entriesPerSlice[s]);
    }
    return h;
  }

  /** Random histograms of many kinds: uniform, power law, one giant, mostly empty. */
  static long[] randomSlices(SplittableRandom random) {
    int size = 1 + random.nextInt(random.nextBoolean() ? 8 : 3000);
    long[] slices = new long[size];
    int kind = random.nextInt(5);
    for (int s = 0; s < size; s++) {
      slices[s] =
          switch (kind) {
            case 0 -> random.nextInt(100);
            case 1 -> 1 + (long) (1000 / Math.pow(1 + random.nextInt(size), 1.1));
            case 2 -> random.nextInt(50) == 0 ? random.nextInt(5000) : 0;
            case 3 -> s == size / 2 ? 100_000 : random.nextInt(5);
            default -> 1000 + random.nextInt(10);
          };
    }
    return slices;
  }

  private void check(ModePartitioning p, long[] slices, int partitions) {
    assertThat(p.partitions()).isBetween(1, partitions);
    long covered = 0;
    for (int i = 0; i < p.partitions(); i++) {
      SliceRange r = p.ranges().get(i);
      if (r.piece() == 0) {
        assertThat(r.from()).isEqualTo(covered);
      } else {
        SliceRange previous = p.ranges().get(i - 1);
        assertThat(r)
            .isEqualTo(
                new SliceRange(
                    previous.from(), previous.to(), previous.piece() + 1, previous.pieces()));
      }
      if (r.piece() == r.pieces() - 1) {
        covered = r.to();
      }
    }
    assertThat(covered).isEqualTo(slices.length);
    SplittableRandom hashes = new SplittableRandom(3);
    for (int s = 0; s < slices.length; s++) {
      for (int trial = 0; trial < 3; trial++) {
        SliceRange r = p.ranges().get(p.partitionOf(s, hashes.nextLong()));
        assertThat((long) s).isBetween(r.from(), r.to() - 1);
      }
      SliceRange lowest = p.ranges().get(p.partitionOf(s, 0));
      assertThat(lowest.piece()).isZero();
      SliceRange highest = p.ranges().get(p.partitionOf(s, -1));
      assertThat(highest.piece()).isEqualTo(highest.pieces() - 1);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void rangesAreDisjointAndCoverTheMode(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int trial = 0; trial < 40; trial++) {
      long[] slices = randomSlices(random);
      int partitions = 1 + random.nextInt(random.nextBoolean() ? 6 : 200);
      ModeHistogram h = histogram(slices);
      ModePartitioning p = partitioner().partition(1, slices.length, h, partitions);
      check(p, slices, partitions);
      assertThat(partitioner().partition(1, slices.length, h, partitions)).isEqualTo(p);
      double expected = 0;
      for (double e : p.expectedEntries(h)) {
        expected += e;
      }
      assertThat(expected).isCloseTo(h.total(), org.assertj.core.data.Offset.offset(1e-6));
    }
  }

  @Test
  void emptyTensorIsOnePartition() {
    ModePartitioning p = partitioner().partition(0, 100, new ModeHistogram(), 8);
    assertThat(p.ranges()).containsExactly(new SliceRange(0, 100, 0, 1));
    assertThat(p.partitionOf(99, 0)).isZero();
  }

  @Test
  void modeOfSizeZeroHasOneEmptyRange() {
    ModePartitioning p = partitioner().partition(0, 0, new ModeHistogram(), 8);
    assertThat(p.ranges()).containsExactly(new SliceRange(0, 0, 0, 1));
    assertThatThrownBy(() -> p.partitionOf(0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void oneSliceIsSharedByAllPartitions() {
    ModePartitioning p = partitioner().partition(0, 1, histogram(1000), 8);
    assertThat(p.partitions()).isEqualTo(8);
    assertThat(p.ranges()).allMatch(r -> r.from() == 0 && r.to() == 1 && r.pieces() == 8);
  }

  @Test
  void morePartitionsThanEntries() {
    long[] slices = {0, 1, 0, 1, 1};
    check(partitioner().partition(0, 5, histogram(slices), 64), slices, 64);
  }

  @Test
  void sizesBeyondAnInt() {
    ModeHistogram h = new ModeHistogram();
    SplittableRandom random = new SplittableRandom(9);
    long size = Long.MAX_VALUE;
    for (int e = 0; e < 10_000; e++) {
      h.add(random.nextLong(size));
    }
    h.add(size - 1);
    ModePartitioning p = partitioner().partition(0, size, h, 16);
    List<SliceRange> ranges = p.ranges();
    assertThat(ranges.get(0).from()).isZero();
    assertThat(ranges.get(ranges.size() - 1).to()).isEqualTo(size);
    for (SliceRange r : ranges) {
      SliceRange found = ranges.get(p.partitionOf(r.from(), 0));
      assertThat(found.from()).isEqualTo(r.from());
    }
  }

  @Test
  void refusesNonsense() {
    assertThatThrownBy(() -> partitioner().partition(0, 1, histogram(1), 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> partitioner().partition(0, 2, histogram(1, 1, 1), 2))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
