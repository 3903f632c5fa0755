package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class DegreeOrderHubsTest extends ReordererContract {
  @Override
  Reorderer reorderer() {
    return Reorderers.named("degree:hubs");
  }

  /** Eight entries over six slices: only 4 and 2 are above the mean, and the others stay. */
  @Test
  void movesOnlySlicesAboveTheMean() {
    CooBlock.Builder block = new CooBlock.Builder(1, 8);
    for (long c : new long[] {4, 4, 4, 2, 2, 0, 5, 3}) {
      block.add(new long[] {c}, 1);
    }
    assertThat(reorderer().reorder(TensorShape.of(6), List.of(block.build())))
        .containsExactly(Permutation.ofOrder(4, 2, 0, 1, 3, 5));
  }
}
