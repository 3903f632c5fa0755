package org.weft.engine.entries;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class HeavySlicesTest {
  /** Beside the slices in the order of their scores, of which as many are taken as needed. */
  @Test
  void holdTheShareInAsFewAsMayBe() {
    Random random = new Random(7);
    for (int round = 0; round < 300; round++) {
      int size = 1 + random.nextInt(40);
      ModeHistogram counts = counts(random, size);
      int levels = 1 + random.nextInt(6); // few: many scores are equal
      double[] scores =
          random.ints(counts.buckets(), 0, levels).mapToDouble(level -> level / 8.0).toArray();
      double share = List.of(0.1, 0.5, 0.9, 1.0, 2.0).get(random.nextInt(5));
      long least = random.nextInt(12);
      HeavySlices found = HeavySlices.of(counts, scores, share, least, round);
      assertThat(found.buckets()).containsExactly(expected(counts, scores, share, least, round));
    }
  }

  private static int[] expected(
      ModeHistogram counts, double[] scores, double share, long least, long seed) {
    int[] order =
        IntStream.range(0, counts.buckets())
            .filter(bucket -> counts.count(bucket) > 0)
            .boxed()
            .sorted(
                Comparator.comparingDouble((Integer bucket) -> -scores[bucket])
                    .thenComparingLong(bucket -> HashedSplit.mixed(seed + bucket)))
            .mapToInt(Integer::intValue)
            .toArray();
    int kept = 0;
    double held = 0;
    while (kept < order.length
        && (held < share * counts.total() || kept * counts.bucketWidth() < least)) {
      held += counts.count(order[kept++]);
    }
    return IntStream.of(order).limit(kept).sorted().toArray();
  }

  private static ModeHistogram counts(Random random, int size) {
    CooBlock.Builder entries = new CooBlock.Builder(1, 16);
    for (int e = 0; e < 100; e++) {
      entries.add(new long[] {random.nextInt(1 + random.nextInt(size))}, 1);
    }
    TensorStatistics.Builder statistics = TensorStatistics.builder(1);
    statistics.add(entries.build());
    return statistics.build(TensorShape.of(size)).histogram(0);
  }
}
