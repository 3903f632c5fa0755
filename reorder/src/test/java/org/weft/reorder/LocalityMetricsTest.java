package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.reorder.LocalityMetrics.Bandwidth;
import org.weft.reorder.LocalityMetrics.ModeLocality;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class LocalityMetricsTest {
  private static CooBlock diagonal(int size) {
    CooBlock.Builder builder = new CooBlock.Builder(2, size);
    for (int i = 0; i < size; i++) {
      builder.add(new long[] {i, i}, 1);
    }
    return builder.build();
  }

  @Test
  void diagonalOfVectors() {
    LocalityMetrics m = LocalityMetrics.of(TensorShape.of(64, 64), List.of(diagonal(64)), 8, 16);
    assertThat(m.bandwidths()).containsExactly(new Bandwidth(0, 1, 0, 0));
    assertThat(m.modes()).containsExactly(new ModeLocality(0, 2), new ModeLocality(1, 2));
  }

  @Test
  void rowsOfSeveralLines() {
    LocalityMetrics m = LocalityMetrics.of(TensorShape.of(64, 64), List.of(diagonal(64)), 128, 16);
    assertThat(m.modes().get(1)).isEqualTo(new ModeLocality(1, 32));
  }

  @Test
  void bandwidthScalesRectangles() {
    CooBlock.Builder builder = new CooBlock.Builder(2, 4);
    builder.add(new long[] {0, 3}, 1);
    builder.add(new long[] {4, 2}, 1);
    LocalityMetrics m = LocalityMetrics.of(TensorShape.of(8, 4), List.of(builder.build()), 8, 1);
    assertThat(m.bandwidths()).containsExactly(new Bandwidth(0, 1, 3, 6));
  }

  @Test
  void emptyTensor() {
    LocalityMetrics m = LocalityMetrics.of(TensorShape.of(3, 0), List.of(), 8, 10);
    assertThat(m.modes().get(0)).isEqualTo(new ModeLocality(0, 0));
    assertThat(m.bandwidths().get(0)).isEqualTo(new Bandwidth(0, 1, 0, 0));
  }
}
