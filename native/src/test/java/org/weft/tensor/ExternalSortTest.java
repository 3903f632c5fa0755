package org.weft.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExternalSortTest {
  private static final TensorShape SHAPE = TensorShape.of(40, 1L << 35, 30);

  private static List<CooBlock> blocks(boolean exact) {
    Random random = new Random(11);
    List<CooBlock> blocks = new ArrayList<>();
    for (int b = 0; b < 60; b++) {
      CooBlock.Builder block = new CooBlock.Builder(3, 16, exact);
      for (int e = random.nextInt(50); e > 0; e--) {
        long[] at = {random.nextInt(40), (long) random.nextInt(3) << 33, random.nextInt(4)};
        if (exact) {
          block.addLong(at, random.nextLong());
        } else {
          block.add(at, random.nextGaussian());
        }
      }
      blocks.add(block.build());
    }
    return blocks;
  }

  private static List<String> describe(CooBlock block, List<String> into) {
    for (int e = 0; e < block.size(); e++) {
      into.add(
          block.coordinate(0, e)
              + " "
              + block.coordinate(1, e)
              + " "
              + block.coordinate(2, e)
              + " "
              + (block.hasLongValues() ? String.valueOf(block.longValue(e)) : block.value(e)));
    }
    return into;
  }

  @Test
  void givesTheSameBitsAsASortInMemoryWhateverTheBound() throws Exception {
    for (boolean exact : new boolean[] {false, true}) {
      List<CooBlock> blocks = blocks(exact);
      for (int[] order : new int[][] {{0, 1, 2}, {2, 0, 1}}) {
        List<String> expected = describe(Packing.sorted(SHAPE, order, blocks), new ArrayList<>());
        for (int bound : new int[] {1, 100, 700, 1 << 20}) {
          try (ExternalSort sort = new ExternalSort(SHAPE, order, bound)) {
            for (CooBlock block : blocks) {
              sort.add(block);
            }
            List<String> found = new ArrayList<>();
            for (Iterator<CooBlock> it = sort.sorted(); it.hasNext(); ) {
              describe(it.next(), found);
            }
            assertThat(found)
                .as("runs of %d, %d spilled", bound, sort.spilledRuns())
                .isEqualTo(expected);
            assertThat(sort.spilledRuns() > 0).isEqualTo(bound < 1000);
          }
        }
      }
    }
  }

  @Test
  void sortsNothing() throws Exception {
    try (ExternalSort sort = new ExternalSort(SHAPE, new int[] {0, 1, 2}, 5)) {
      assertThat(sort.sorted().hasNext()).isFalse();
    }
  }
}
