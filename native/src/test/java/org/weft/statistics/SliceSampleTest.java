package org.weft.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.tensor.CooBlock;

class SliceSampleTest {
  private static CooBlock block(List<long[]> entries) {
    CooBlock.Builder block = new CooBlock.Builder(entries.get(0).length, entries.size());
    entries.forEach(at -> block.add(at, 1));
    return block.build();
  }

  private static List<long[]> entries(long seed, int count, long... sizes) {
    Random random = new Random(seed);
    List<long[]> entries = new ArrayList<>();
    for (int e = 0; e < count; e++) {
      long[] at = new long[sizes.length];
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = (long) (Math.pow(random.nextDouble(), 1 + mode) * sizes[mode]);
      }
      entries.add(at);
    }
    return entries;
  }

  private static List<SliceSample> samples(TensorStatistics.Builder counts) {
    return counts.build().samples();
  }

  /** Parts of any size, in any order, merged in any order. */
  @ParameterizedTest
  @ValueSource(longs = {40, 3_000, 2_000_000, 1L << 40})
  void dependOnTheEntriesAlone(long size) {
    List<long[]> entries = entries(size, 20_000, size, 500, 1 + size / 3, 7);
    List<SliceSample> whole = samples(TensorStatistics.builder(4).sampling().add(block(entries)));
    Random random = new Random(size);
    for (int round = 0; round < 5; round++) {
      Collections.shuffle(entries, random);
      List<TensorStatistics.Builder> parts = new ArrayList<>();
      for (int from = 0; from < entries.size(); ) {
        int to = Math.min(entries.size(), from + 1 + random.nextInt(9_000));
        TensorStatistics.Builder part = TensorStatistics.builder(4).sampling();
        for (int at = from; at < to; ) {
          int end = Math.min(to, at + 1 + random.nextInt(4_000));
          part.add(block(entries.subList(at, end)));
          at = end;
        }
        parts.add(random.nextInt(parts.size() + 1), part);
        from = to;
      }
      assertThat(samples(parts.stream().reduce(TensorStatistics.Builder::merge).orElseThrow()))
          .isEqualTo(whole);
    }
  }

  /** All blocks of other modes that entries of a drawn slice lie in, and no others. */
  @Test
  void holdTheBlocksOfDrawnSlices() {
    List<long[]> entries = entries(3, 30_000, 9_000, 70, 100_000);
    List<SliceSample> samples = samples(TensorStatistics.builder(3).sampling().add(block(entries)));
    for (int mode = 0; mode < 3; mode++) {
      SliceSample sample = samples.get(mode);
      TreeSet<Long> there = new TreeSet<>();
      for (long[] at : entries) {
        there.add(at[mode]);
      }
      assertThat(sample.isWhole()).isEqualTo(there.size() <= 256);
      assertThat(sample.slices().length).isBetween(Math.min(there.size(), 64), 256);
      for (int other = 0; other < 3; other++) {
        if (other != mode) {
          assertThat(sample.blockWidth(other)).isEqualTo(List.of(32L, 1L, 256L).get(other));
          for (long slice : sample.slices()) {
            BitSet expected = new BitSet();
            for (long[] at : entries) {
              if (at[mode] == slice) {
                expected.set((int) (at[other] / sample.blockWidth(other)));
              }
            }
            assertThat(sample.blocks(slice, other)).isEqualTo(expected);
          }
        }
      }
    }
  }

  /** A part without samples leaves none of the whole. */
  @Test
  void areOfAllPartsOrNone() {
    CooBlock block = block(entries(1, 10, 5, 5));
    assertThat(
            samples(
                TensorStatistics.builder(2)
                    .sampling()
                    .add(block)
                    .merge(TensorStatistics.builder(2).add(block))))
        .isEmpty();
  }
}
