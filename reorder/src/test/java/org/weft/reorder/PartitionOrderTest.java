package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class PartitionOrderTest extends ReordererContract {
  @Override
  Reorderer reorderer() {
    return Reorderers.named("partition:4");
  }

  /** Four communities with 5 % of entries between them, shuffled. */
  private static CooBlock communities(TensorShape shape, int entries) {
    SplittableRandom random = new SplittableRandom(3);
    CooBlock.Builder builder = new CooBlock.Builder(3, entries);
    for (int e = 0; e < entries; e++) {
      int community = random.nextInt(4);
      long[] c = new long[3];
      for (int m = 0; m < 3; m++) {
        long width = shape.size(m) / 4;
        int home = random.nextInt(20) == 0 ? random.nextInt(4) : community;
        c[m] = home * width + random.nextLong(width);
      }
      builder.add(c, 1);
    }
    CooBlock hidden = builder.build();
    return Permutation.relabel(hidden, new RandomOrder(1).reorder(shape, List.of(hidden)));
  }

  @Test
  void fetchesFewerRowsAndStaysBalanced() {
    TensorShape shape = TensorShape.of(400, 1200, 800);
    CooBlock shuffled = communities(shape, 4000);
    CooBlock found = Permutation.relabel(shuffled, reorderer().reorder(shape, List.of(shuffled)));
    PartitionMetrics before = PartitionMetrics.of(shape, List.of(shuffled), 4);
    PartitionMetrics after = PartitionMetrics.of(shape, List.of(found), 4);
    assertThat(after.totalRowsFetched()).isLessThan(before.totalRowsFetched() * 6 / 10);
    assertThat(after.imbalance()).isLessThan(1.1);
  }

  @Test
  void checksTheNumberOfPartitions() {
    assertThat(Reorderers.named("partition").name()).isEqualTo("partition:8");
    assertThatThrownBy(() -> Reorderers.named("partition:0")).isInstanceOf(WeftException.class);
    assertThatThrownBy(() -> Reorderers.named("partition:1000")).isInstanceOf(WeftException.class);
  }

  @Test
  void metricsOfHandMadePartitions() {
    CooBlock.Builder block = new CooBlock.Builder(2, 6);
    long[][] entries = {{0, 0}, {0, 1}, {1, 0}, {2, 3}, {3, 3}, {3, 0}};
    for (long[] entry : entries) {
      block.add(entry, 1);
    }
    List<CooBlock> blocks = List.of(block.build());
    PartitionMetrics metrics = PartitionMetrics.of(TensorShape.of(4, 4), blocks, 2);
    assertThat(metrics).isEqualTo(new PartitionMetrics(2, 1.0, List.of(4L)));
    assertThat(PartitionMetrics.of(TensorShape.of(4, 4), blocks, 50).imbalance()).isGreaterThan(1);
    assertThat(PartitionMetrics.of(TensorShape.of(4, 4), List.of(), 3).rowsFetched())
        .containsExactly(0L);
  }
}
