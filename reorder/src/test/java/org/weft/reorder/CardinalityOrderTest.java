package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class CardinalityOrderTest extends ReordererContract {
  @Override
  Reorderer reorderer() {
    return Reorderers.named("bfs-mcs");
  }

  /** Slices 0, 2, 4 share the columns 0 and 1, slices 1, 3, 5 the columns 2 and 3. */
  @Test
  void takesTheSliceWithMostSeenEntriesNext() {
    CooBlock.Builder block = new CooBlock.Builder(2, 12);
    long[][] entries = {{0, 0}, {0, 1}, {4, 0}, {2, 0}, {2, 1}, {1, 2}, {1, 3}, {3, 2}, {5, 2}};
    for (long[] entry : entries) {
      block.add(entry, 1);
    }
    List<Permutation> p = reorderer().reorder(TensorShape.of(6, 4), List.of(block.build()));
    assertThat(p.get(0)).isEqualTo(Permutation.ofOrder(0, 2, 4, 1, 3, 5));
  }

  @Test
  void gathersAShuffledBlockDiagonal() {
    int side = 8;
    CooBlock.Builder builder = new CooBlock.Builder(3, 2000);
    for (int b = 0; b < 25; b++) {
      for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
          builder.add(new long[] {b * side + i, b * side + j, b * side + (i + j) % side}, 1);
        }
      }
    }
    TensorShape shape = TensorShape.of(200, 200, 200);
    CooBlock hidden = builder.build();
    CooBlock shuffled =
        Permutation.relabel(hidden, new RandomOrder(5).reorder(shape, List.of(hidden)));
    List<Permutation> p = reorderer().reorder(shape, List.of(shuffled));
    CooBlock found = Permutation.relabel(shuffled, p);
    PartitionMetrics before = PartitionMetrics.of(shape, List.of(shuffled), 5);
    PartitionMetrics after = PartitionMetrics.of(shape, List.of(found), 5);
    assertThat(before.totalRowsFetched()).isGreaterThan(1000);
    assertThat(after.totalRowsFetched()).isEqualTo(400);
  }
}
