package org.weft.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
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
        TensorStatistics.Builder part =
            parts.isEmpty() || random.nextBoolean()
                ? TensorStatistics.builder(4).sampling()
                : parts.get(random.nextInt(parts.size())).ofPart();
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

  @ParameterizedTest
  @ValueSource(longs = {1, 40, 3_000, 2_000_000})
  void areMadeOfTheirNumbers(long size) {
    List<long[]> entries = entries(size, 20_000, size, 500, 1 + size / 3);
    TensorStatistics all = TensorStatistics.builder(3).sampling().add(block(entries)).build();
    for (int mode = 0; mode < 3; mode++) {
      SliceSample sample = all.samples().get(mode);
      assertThat(SliceSample.of(mode, sample.level(), sample.numbers(), all.histograms()))
          .isEqualTo(sample);
    }
  }

  /** What is made of any numbers has slices and blocks of the tensor, or is refused. */
  @Test
  void areOfTheTensorWhateverTheNumbers() {
    List<long[]> entries = entries(7, 20_000, 3_000, 70, 100_000);
    TensorStatistics all = TensorStatistics.builder(3).sampling().add(block(entries)).build();
    Random random = new Random(7);
    long[] odd = {-1, 0, 1, 2_999, 3_000, Long.MIN_VALUE, Long.MAX_VALUE};
    int refused = 0;
    for (int round = 0; round < 3_000; round++) {
      int mode = random.nextInt(3);
      SliceSample good = all.samples().get(mode);
      long[] numbers = good.numbers();
      int level = random.nextInt(9) > 0 ? good.level() : random.nextInt(80) - 5;
      if (random.nextInt(5) == 0) {
        numbers = Arrays.copyOf(numbers, random.nextInt(2 * numbers.length));
      }
      for (int change = random.nextInt(4); change > 0 && numbers.length > 0; change--) {
        int at = random.nextInt(numbers.length);
        numbers[at] =
            random.nextBoolean()
                ? odd[random.nextInt(odd.length)]
                : numbers[at] ^ 1L << random.nextInt(Long.SIZE);
      }
      SliceSample made;
      try {
        made = SliceSample.of(mode, level, numbers, all.histograms());
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageStartingWith("expected ");
        refused++;
        continue;
      }
      assertThat(made.numbers()).isEqualTo(numbers);
      for (long slice : made.slices()) {
        assertThat(slice).isBetween(0L, all.shape().size(mode) - 1);
        for (int other = 0; other < 3; other++) {
          if (other != mode) {
            BitSet blocks = made.blocks(slice, other);
            assertThat((blocks.length() - 1) * made.blockWidth(other))
                .isBetween(0L, all.shape().size(other) - 1);
          }
        }
      }
    }
    assertThat(refused).isBetween(1_000, 2_900);
  }

  /** Where coordinates have gaps, as those of a hash or a time have. */
  @ParameterizedTest
  @ValueSource(longs = {1, 1L << 20, 1L << 53})
  void nameSlicesAndBlocksThatHaveEntriesAndAllSlicesIfWhole(long width) {
    List<long[]> entries = new ArrayList<>();
    for (int e = 0; e < 200; e++) {
      entries.add(new long[] {2 * e, e % 2 == 0 ? 0 : 400 * width});
    }
    TensorStatistics all = TensorStatistics.builder(2).sampling().add(block(entries)).build();
    SliceSample good = all.samples().get(0);
    assertThat(good.isWhole()).isTrue();
    long[] numbers = good.numbers();
    int words = numbers.length / 200;

    long[] between = numbers.clone();
    between[words] = 1L << 5; // the last word of the first slice
    long[] odd = numbers.clone();
    odd[0] = 1;
    long[] some = Arrays.copyOf(numbers, numbers.length - words);
    for (long[] forged : List.of(between, odd, some, new long[0])) {
      assertThatThrownBy(() -> SliceSample.of(0, 0, forged, all.histograms()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("expected ");
    }
    assertThat(SliceSample.of(0, 0, numbers, all.histograms())).isEqualTo(good);
  }

  /** Samples of many modes would not be small: their slices have blocks in every other mode. */
  @Test
  void areOfFewModes() {
    for (int order : new int[] {1, 2, 32, 33, 4_096}) {
      CooBlock.Builder block = new CooBlock.Builder(order, 50);
      for (int e = 0; e < 50; e++) {
        long[] at = new long[order];
        Arrays.fill(at, e);
        block.add(at, 1);
      }
      assertThat(samples(TensorStatistics.builder(order).sampling().add(block.build())))
          .hasSize(order <= 32 ? order : 0);
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
