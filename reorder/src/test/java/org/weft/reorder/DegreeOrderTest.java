package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class DegreeOrderTest extends ReordererContract {
  @Override
  Reorderer reorderer() {
    return Reorderers.named("degree");
  }

  @Test
  void degreeSortsByEntriesThenLabel() {
    CooBlock.Builder block = new CooBlock.Builder(1, 8);
    for (long c : new long[] {3, 1, 3, 1, 0, 3}) {
      block.add(new long[] {c}, 1);
    }
    List<CooBlock> blocks = List.of(block.build());
    TensorShape shape = TensorShape.of(5);
    assertThat(Reorderers.named("degree").reorder(shape, blocks))
        .containsExactly(Permutation.ofOrder(3, 1, 0, 2, 4));
    assertThat(Reorderers.named("degree:ascending").reorder(shape, blocks))
        .containsExactly(Permutation.ofOrder(2, 4, 0, 1, 3));
  }
}
