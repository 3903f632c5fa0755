package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class ReorderersTest {
  @Nested
  class Identity extends ReordererContract {
    @Override
    Reorderer reorderer() {
      return Reorderers.named("identity");
    }
  }

  @Nested
  class Shuffled extends ReordererContract {
    @Override
    Reorderer reorderer() {
      return Reorderers.named("random:42");
    }
  }

  @Nested
  class Degree extends ReordererContract {
    @Override
    Reorderer reorderer() {
      return Reorderers.named("degree");
    }
  }

  @Nested
  class DegreeAscending extends ReordererContract {
    @Override
    Reorderer reorderer() {
      return Reorderers.named("degree:ascending");
    }
  }

  @Nested
  class Lexi extends ReordererContract {
    @Override
    Reorderer reorderer() {
      return Reorderers.named("lexi");
    }
  }

  @Test
  void namesAreListedAndChecked() {
    assertThat(Reorderers.names()).containsExactly("identity", "random", "degree", "lexi");
    assertThatThrownBy(() -> Reorderers.named("rcmm"))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("identity, random, degree, lexi, found 'rcmm'");
    assertThatThrownBy(() -> Reorderers.named("lexi:0")).isInstanceOf(WeftException.class);
    assertThatThrownBy(() -> Reorderers.named("random:x")).isInstanceOf(WeftException.class);
    assertThatThrownBy(() -> Reorderers.named("degree:up")).isInstanceOf(WeftException.class);
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

  @Test
  void seedsDiffer() {
    TensorShape shape = TensorShape.of(100, 100);
    List<Permutation> one = Reorderers.named("random:1").reorder(shape, List.of());
    assertThat(one).isNotEqualTo(Reorderers.named("random:2").reorder(shape, List.of()));
    assertThat(one.get(0)).isNotEqualTo(one.get(1));
  }
}
