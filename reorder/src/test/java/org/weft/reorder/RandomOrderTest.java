package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.tensor.TensorShape;

class RandomOrderTest extends ReordererContract {
  @Override
  Reorderer reorderer() {
    return Reorderers.named("random:42");
  }

  @Test
  void seedsDiffer() {
    TensorShape shape = TensorShape.of(100, 100);
    List<Permutation> one = Reorderers.named("random:1").reorder(shape, List.of());
    assertThat(one).isNotEqualTo(Reorderers.named("random:2").reorder(shape, List.of()));
    assertThat(one.get(0)).isNotEqualTo(one.get(1));
  }
}
