package org.weft.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.partition.EqualNonzeros;
import org.weft.planner.partition.ModePartitioning;
import org.weft.statistics.SliceSummary;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class TensorStatisticsTest {
  private static CooBlock block(double[] values, long[]... coordinates) {
    CooBlock.Builder builder = new CooBlock.Builder(2, 4);
    for (int e = 0; e < values.length; e++) {
      builder.add(coordinates[e], values[e]);
    }
    return builder.build();
  }

  @Test
  void collectsAndMerges() {
    long far = 1L << 40;
    TensorStatistics.Builder left = TensorStatistics.builder(2);
    left.add(block(new double[] {3, -4}, new long[] {0, 5}, new long[] {2, 1}));
    TensorStatistics.Builder right = TensorStatistics.builder(2);
    right.add(block(new double[] {Double.NaN}, new long[] {1, far}));
    right.add(block(new double[0]));
    TensorStatistics finite = left.build();
    assertThat(finite.shape()).isEqualTo(TensorShape.of(3, 6));
    assertThat(finite.norm()).isEqualTo(5);
    assertThat(finite.minValue()).isEqualTo(-4);
    assertThat(finite.maxValue()).isEqualTo(3);
    assertThat(finite.density()).isEqualTo(2 / 18.0);
    assertThat(finite.slices(0)).isEqualTo(new SliceSummary(2, 1, 1, 1, 1, 1, true));
    TensorStatistics merged = left.merge(right).build();
    assertThat(merged.shape()).isEqualTo(TensorShape.of(3, far + 1));
    assertThat(merged.entries()).isEqualTo(3);
    assertThat(merged.nonfinite()).isOne();
    assertThat(merged.maxValue()).isEqualTo(3);
    assertThat(merged.histogram(1).isExact()).isFalse();
  }

  @Test
  void emptyTensor() {
    TensorStatistics s = TensorStatistics.builder(3).build();
    assertThat(s.shape()).isEqualTo(TensorShape.of(0, 0, 0));
    assertThat(s.density()).isZero();
    assertThat(s.norm()).isZero();
  }

  @Test
  void declaredShapeMustHoldTheEntries() {
    TensorStatistics.Builder builder = TensorStatistics.builder(2);
    builder.add(block(new double[] {1}, new long[] {3, 7}));
    assertThat(builder.build(TensorShape.of(9, 9)).shape()).isEqualTo(TensorShape.of(9, 9));
    assertThatThrownBy(() -> builder.build(TensorShape.of(9, 7)))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.COORDINATE_OUT_OF_RANGE))
        .hasMessageContaining("mode 1 has size 7");
  }

  @Test
  void partitionsOfABlockAgreeWithPartitionOf() {
    CooBlock.Builder entries = new CooBlock.Builder(2, 1000);
    TensorStatistics.Builder builder = TensorStatistics.builder(2);
    for (int e = 0; e < 1000; e++) {
      entries.add(new long[] {e % 3 == 0 ? e % 50 : 7, e}, 1);
    }
    CooBlock block = entries.build();
    TensorStatistics s = builder.add(block).build();
    ModePartitioning p = new EqualNonzeros().partition(0, 50, s.histogram(0), 5);
    assertThat(p.anyOverlapping()).isTrue();
    int[] found = new int[1000];
    p.partitionsOf(block, found);
    int[] counts = new int[p.partitions()];
    for (int e = 0; e < 1000; e++) {
      long hash = ModePartitioning.hashFold(ModePartitioning.hashSeed(), block.coordinate(1, e));
      assertThat(found[e]).isEqualTo(p.partitionOf(block.coordinate(0, e), hash));
      counts[found[e]]++;
    }
    assertThat(Arrays.stream(counts).boxed()).allSatisfy(c -> assertThat(c).isBetween(120, 280));
  }
}
