package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.weft.tensor.CooBlock;

class RowReadsTest {
  private static final int[] ORDER = {0, 1, 2};
  private static final long[] SIZES = {10, 10, 10};

  private static CooBlock block(long[]... entries) {
    CooBlock.Builder builder = new CooBlock.Builder(3, entries.length);
    for (long[] entry : entries) {
      builder.add(entry, 1);
    }
    return builder.build();
  }

  /** Rows of mode 1 are read once per fiber, rows of mode 2 once per entry. */
  @Test
  void countsReadsAtTheLevelsOfTheOperands() {
    CooBlock sorted =
        block(
            new long[] {0, 1, 2}, new long[] {0, 1, 3}, new long[] {0, 2, 2}, new long[] {1, 2, 2});
    RowReads reads = RowReads.of(sorted, ORDER, new long[] {0, 128, 128}, SIZES, 1 << 20);
    assertThat(reads).isEqualTo(new RowReads(3 + 4, 7 * 128, (2 + 2) * 128));
  }

  /** A cache of one row misses whenever the row changes. */
  @Test
  void aSmallCacheForgets() {
    CooBlock sorted =
        block(
            new long[] {0, 0, 1}, new long[] {0, 1, 2}, new long[] {0, 2, 1}, new long[] {0, 3, 1});
    RowReads reads = RowReads.of(sorted, ORDER, new long[] {0, 0, 64}, SIZES, 64);
    assertThat(reads).isEqualTo(new RowReads(4, 4 * 64, 3 * 64));
  }

  /** Eight numbers share a line. */
  @Test
  void vectorsAreReadByLines() {
    CooBlock sorted =
        block(
            new long[] {0, 0, 1}, new long[] {0, 1, 7}, new long[] {0, 2, 8}, new long[] {0, 3, 9});
    RowReads reads = RowReads.of(sorted, ORDER, new long[] {0, 0, 8}, SIZES, 1 << 20);
    assertThat(reads).isEqualTo(new RowReads(4, 4 * 8, 2 * 64));
  }
}
