package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class CuthillMcKeeOrderTest extends ReordererContract {
  @Override
  Reorderer reorderer() {
    return Reorderers.named("rcm");
  }

  /** A banded matrix; rows and columns are shuffled independently below. */
  private static CooBlock banded(int rows, int columns, int halfBand) {
    CooBlock.Builder builder = new CooBlock.Builder(2, rows * (2 * halfBand + 1));
    for (int i = 0; i < rows; i++) {
      int middle = (int) ((long) i * columns / rows);
      for (int j = middle - halfBand; j <= middle + halfBand; j++) {
        if (j >= 0 && j < columns) {
          builder.add(new long[] {i, j}, 1);
        }
      }
    }
    return builder.build();
  }

  private static LocalityMetrics.Bandwidth bandwidth(TensorShape shape, CooBlock block) {
    return LocalityMetrics.of(shape, List.of(block), 8, 64).bandwidths().get(0);
  }

  @ParameterizedTest
  @CsvSource({"500,500,1", "500,500,4", "2000,2000,10", "900,600,5", "300,1200,8"})
  void findsAShuffledBand(int rows, int columns, int halfBand) {
    TensorShape shape = TensorShape.of(rows, columns);
    CooBlock hidden = banded(rows, columns, halfBand);
    CooBlock shuffled =
        Permutation.relabel(hidden, new RandomOrder(11).reorder(shape, List.of(hidden)));
    CooBlock found = Permutation.relabel(shuffled, reorderer().reorder(shape, List.of(shuffled)));
    double ideal = bandwidth(shape, hidden).maximum();
    assertThat(bandwidth(shape, shuffled).maximum()).isGreaterThan(rows / 2.0);
    assertThat(bandwidth(shape, found).maximum()).isLessThan(3 * ideal + 3 * rows / 100.0);
  }

  @Test
  void slicesWithoutEntriesComeLast() {
    CooBlock.Builder block = new CooBlock.Builder(2, 4);
    block.add(new long[] {1, 0}, 1);
    block.add(new long[] {3, 2}, 1);
    List<Permutation> p = reorderer().reorder(TensorShape.of(5, 3), List.of(block.build()));
    assertThat(List.of(p.get(0).apply(0), p.get(0).apply(2), p.get(0).apply(4)))
        .containsExactly(2L, 3L, 4L);
    assertThat(p.get(1).apply(1)).isEqualTo(2);
  }

  @Test
  void aDenseRowIsNoObstacle() {
    CooBlock.Builder block = new CooBlock.Builder(2, 3000);
    for (int i = 0; i < 1000; i++) {
      block.add(new long[] {0, i}, 1);
      block.add(new long[] {i, i}, 1);
    }
    List<Permutation> p = reorderer().reorder(TensorShape.of(1000, 1000), List.of(block.build()));
    assertThat(p).hasSize(2);
  }
}
