package org.weft.engine.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.error.WeftException;

class BoundedMemoryTest {
  private static final long LARGE = 20L << 20;

  private final BoundedMemory memory = new BoundedMemory(4 * LARGE);
  private final long small = memory.allocate(64);

  @AfterEach
  void nothingIsKeptWhereNothingIsInUse() {
    assertThat(memory.used()).isEqualTo(64);
    memory.free(small, 64);
    assertThat(memory.keptBytes()).isZero();
  }

  @Test
  void largeBlocksServeAgain() {
    long first = memory.allocate(LARGE);
    memory.free(first, LARGE);
    assertThat(memory.used()).isEqualTo(64);
    long again = memory.allocateBeside(LARGE, 0);
    assertThat(again).isEqualTo(first);
    assertThat(memory.keptBytes()).isZero();
    memory.free(again, LARGE);
  }

  @Test
  void keptBlocksAndThoseInUseAreNeverMoreThanWereInUse() {
    long one = memory.allocate(LARGE);
    long two = memory.allocate(LARGE);
    memory.free(one, LARGE);
    memory.free(two, LARGE);
    assertThat(memory.keptBytes()).isEqualTo(2 * LARGE);
    long larger = memory.allocate(LARGE + 64);
    assertThat(memory.keptBytes()).isZero();
    memory.free(larger, LARGE + 64);
  }

  @Test
  void keptBlocksLeaveTheWholeLimitToOthers() {
    memory.free(memory.allocate(3 * LARGE), 3 * LARGE);
    long other = memory.allocate(3 * LARGE + 128);
    assertThat(memory.allocateBeside(LARGE, 0)).isZero();
    assertThatThrownBy(() -> memory.allocate(LARGE))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("are in use");
    memory.free(other, 3 * LARGE + 128);
  }
}
