package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.weft.error.WeftException;

class ReorderersTest {
  @Test
  void namesAreListedAndChecked() {
    assertThat(Reorderers.names())
        .containsExactly(
            "identity", "random", "degree", "lexi", "bfs-mcs", "rcm", "band", "partition");
    assertThatThrownBy(() -> Reorderers.named("rcmm"))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining(
            "identity, random, degree, lexi, bfs-mcs, rcm, band, partition, found 'rcmm'");
    assertThatThrownBy(() -> Reorderers.named("rcm:3")).isInstanceOf(WeftException.class);
    assertThatThrownBy(() -> Reorderers.named("lexi:0")).isInstanceOf(WeftException.class);
    assertThatThrownBy(() -> Reorderers.named("random:x")).isInstanceOf(WeftException.class);
    assertThatThrownBy(() -> Reorderers.named("degree:up")).isInstanceOf(WeftException.class);
  }

  @Test
  void aColonWithoutAnArgumentIsAnError() {
    for (String name : Reorderers.names()) {
      assertThatThrownBy(() -> Reorderers.named(name + ":"))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("expected an argument after '" + name + ":'");
    }
  }
}
