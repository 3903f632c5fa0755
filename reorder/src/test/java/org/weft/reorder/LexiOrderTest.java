package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class LexiOrderTest extends ReordererContract {
  @Override
  Reorderer reorderer() {
    return Reorderers.named("lexi");
  }

  private static CooBlock block(boolean[][] cells) {
    CooBlock.Builder builder = new CooBlock.Builder(2, 16);
    for (int i = 0; i < cells.length; i++) {
      for (int j = 0; j < cells[i].length; j++) {
        if (cells[i][j]) {
          builder.add(new long[] {i, j}, 1);
        }
      }
    }
    return builder.build();
  }

  private static boolean[][] cells(CooBlock block, int rows, int columns) {
    boolean[][] cells = new boolean[rows][columns];
    for (int e = 0; e < block.size(); e++) {
      cells[(int) block.coordinate(0, e)][(int) block.coordinate(1, e)] = true;
    }
    return cells;
  }

  /** Whether a comes before or equals b: the first difference has the entry in a. */
  private static boolean descends(boolean[] a, boolean[] b) {
    for (int j = 0; j < a.length; j++) {
      if (a[j] != b[j]) {
        return a[j];
      }
    }
    return true;
  }

  private static boolean[][] transposed(boolean[][] cells) {
    boolean[][] t = new boolean[cells[0].length][cells.length];
    for (int i = 0; i < cells.length; i++) {
      for (int j = 0; j < t.length; j++) {
        t[j][i] = cells[i][j];
      }
    }
    return t;
  }

  /** With many sweeps the order settles, and then rows and columns both descend. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void settlesInADoublyLexicalOrder(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int trial = 0; trial < 20; trial++) {
      boolean[][] cells = new boolean[1 + random.nextInt(9)][1 + random.nextInt(9)];
      for (boolean[] row : cells) {
        for (int j = 0; j < row.length; j++) {
          row[j] = random.nextInt(3) == 0;
        }
      }
      int rows = cells.length;
      int columns = cells[0].length;
      List<Permutation> p =
          new LexiOrder(1000).reorder(TensorShape.of(rows, columns), List.of(block(cells)));
      boolean[][] ordered = cells(Permutation.relabel(block(cells), p), rows, columns);
      assertDescends(ordered);
      assertDescends(transposed(ordered));
    }
  }

  private static void assertDescends(boolean[][] cells) {
    for (int i = 1; i < cells.length; i++) {
      assertThat(descends(cells[i - 1], cells[i])).as("rows %s and %s", i - 1, i).isTrue();
    }
  }

  @Test
  void gathersAShuffledBlockDiagonal() {
    int blocks = 25;
    int side = 8;
    CooBlock.Builder builder = new CooBlock.Builder(3, 1000);
    for (int b = 0; b < blocks; b++) {
      for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
          builder.add(new long[] {b * side + i, b * side + j, b * side + (i + j) % side}, 1);
        }
      }
    }
    TensorShape shape = TensorShape.of(blocks * side, blocks * side, blocks * side);
    CooBlock hidden = builder.build();
    CooBlock shuffled =
        Permutation.relabel(hidden, new RandomOrder(7).reorder(shape, List.of(hidden)));
    CooBlock found =
        Permutation.relabel(
            shuffled, new LexiOrder(LexiOrder.SWEEPS).reorder(shape, List.of(shuffled)));
    double before = bandwidth(shape, shuffled);
    double after = bandwidth(shape, found);
    double ideal = bandwidth(shape, hidden);
    assertThat(before).isGreaterThan(40);
    assertThat(ideal).isLessThan(4);
    assertThat(after).isLessThan(2 * side);
  }

  private static double bandwidth(TensorShape shape, CooBlock block) {
    return LocalityMetrics.of(shape, List.of(block), 128, 64).bandwidths().get(0).average();
  }

  @Test
  void duplicatesChangeNothing() {
    TensorShape shape = TensorShape.of(30, 40, 20);
    CooBlock once = random(shape, 200, 3);
    CooBlock twice = CooBlock.concat(List.of(once, once));
    assertThat(new LexiOrder(3).reorder(shape, List.of(twice)))
        .isEqualTo(new LexiOrder(3).reorder(shape, List.of(once)));
  }
}
