package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class BandOrderTest extends ReordererContract {
  @Override
  Reorderer reorderer() {
    return Reorderers.named("band");
  }

  /** A sparse band, most of it near the diagonal, as finite elements make it. */
  private static CooBlock band(int size, int halfBand, int perRow) {
    SplittableRandom random = new SplittableRandom(2);
    CooBlock.Builder builder = new CooBlock.Builder(2, size * perRow);
    for (int i = 0; i < size; i++) {
      for (int n = 0; n < perRow; n++) {
        int distance = (random.nextInt(2 * halfBand + 1) - halfBand) / (1 + random.nextInt(8));
        int j = n == 0 ? i : i + distance;
        if (j >= 0 && j < size) {
          builder.add(new long[] {i, j}, 1);
        }
      }
    }
    return builder.build();
  }

  @Test
  void comesCloseToTheHiddenBand() {
    TensorShape shape = TensorShape.of(6000, 6000);
    CooBlock hidden = band(6000, 300, 15);
    CooBlock shuffled =
        Permutation.relabel(hidden, new RandomOrder(5).reorder(shape, List.of(hidden)));
    double ideal = average(shape, hidden);
    assertThat(average(shape, shuffled)).isGreaterThan(20 * ideal);
    double rcm = average(shape, found("rcm", shape, shuffled));
    double found = average(shape, found("band", shape, shuffled));
    assertThat(found).isLessThan(1.25 * ideal).isLessThan(rcm);
  }

  /** Neighbours in a grid: levels of Cuthill-McKee are its diagonals already. */
  @Test
  void leavesTheOrderOfCuthillMcKeeWhereMeansHardlyHelp() {
    int side = 80;
    TensorShape shape = TensorShape.of(side * side, side * side);
    CooBlock.Builder builder = new CooBlock.Builder(2, 5 * side * side);
    for (int i = 0; i < side * side; i++) {
      for (int distance : new int[] {0, -1, 1, -side, side}) {
        if (i + distance >= 0 && i + distance < side * side) {
          builder.add(new long[] {i, i + distance}, 1);
        }
      }
    }
    CooBlock grid = builder.build();
    CooBlock shuffled = Permutation.relabel(grid, new RandomOrder(5).reorder(shape, List.of(grid)));
    CooBlock found = found("band", shape, shuffled);
    assertThat(average(shape, found)).isEqualTo(average(shape, found("rcm", shape, shuffled)));
    assertThat(average(shape, found)).isLessThan(2 * average(shape, grid));
  }

  private static CooBlock found(String method, TensorShape shape, CooBlock block) {
    return Permutation.relabel(block, Reorderers.named(method).reorder(shape, List.of(block)));
  }

  private static double average(TensorShape shape, CooBlock block) {
    return LocalityMetrics.of(shape, List.of(block), 8, 64).bandwidths().get(0).average();
  }
}
