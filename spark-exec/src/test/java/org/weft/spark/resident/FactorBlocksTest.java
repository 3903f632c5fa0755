package org.weft.spark.resident;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.spark.exchange.RowRuns;

final class FactorBlocksTest {
  private final ByteBuffer block = ByteBuffer.allocateDirect(64);

  @ParameterizedTest
  @ValueSource(ints = {0, -8, 6, Integer.MIN_VALUE})
  void rowsOfNoSizeAreNotAnswered(int rowBytes) {
    RowRuns rows = new RowRuns();
    rows.add(0, 2);
    for (boolean nonzero : new boolean[] {false, true}) {
      assertThatThrownBy(() -> FactorBlocks.answer(block, rows, nonzero, rowBytes))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("found " + rowBytes + " bytes");
    }
  }

  @Test
  void rowsBeyondABlockAreNotAnswered() {
    RowRuns rows = new RowRuns();
    rows.add(Integer.MAX_VALUE - 1, 1);
    assertThatThrownBy(() -> FactorBlocks.answer(block, rows, false, 8))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a block has 64 bytes, too few");
  }
}
