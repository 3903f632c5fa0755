package org.weft.planner.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

class BlockFormatsTest {
  private final MemoryScope scope = MemoryScope.root("blocks", MemorySource.system());

  @AfterEach
  void close() {
    scope.close();
  }

  /**
   * {@code rows} rows of {@code size} x {@code size} blocks, five to a row, apart from each other.
   */
  private TensorStorage blocks(int rows, int size, int missing) {
    return blocks(rows, size, missing, 5);
  }

  private TensorStorage blocks(int rows, int size, int missing, int perRow) {
    CooBlock.Builder builder = new CooBlock.Builder(2, rows * perRow * size);
    for (int row = 0; row < rows; row++) {
      for (int block = 0; block < perRow; block++) {
        for (int c = 0; c < size - (row % size == 0 ? missing : 0); c++) {
          builder.add(new long[] {row, 72_000L * block + c}, 1);
        }
      }
    }
    TensorShape shape = TensorShape.of(rows, 72_000L * perRow);
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    return Packing.pack(scope, shape, csr, List.of(builder.build()));
  }

  private static List<String> names(Map<TensorFormat, Long> formats) {
    return formats.keySet().stream().map(format -> "" + format.coordinate(3)).toList();
  }

  @Test
  void fullBlocksAreFoundAndCounted() {
    Map<TensorFormat, Long> formats = BlockFormats.of(blocks(36, 3, 0));
    assertThat(formats).hasSize(1);
    formats.forEach(
        (format, count) -> {
          assertThat(format.levelSize(TensorShape.of(36, 360_000), 3)).isEqualTo(3);
          assertThat(count).isEqualTo(12 * 5);
        });
  }

  @Test
  void largeMatricesAreSampled() {
    Map<TensorFormat, Long> formats = BlockFormats.of(blocks(120_000, 2, 0));
    assertThat(names(formats)).hasSize(1);
    assertThat(formats.values().iterator().next()).isBetween(285_000L, 315_000L);
  }

  /** One of two columns missing in every other row: a quarter of each block would be zeros. */
  @Test
  void blocksWithGapsAreNotWorthIt() {
    assertThat(BlockFormats.of(blocks(36, 2, 1))).isEmpty();
  }

  @Test
  void longRowsAreSampled() {
    Map<TensorFormat, Long> formats = BlockFormats.of(blocks(2, 2, 0, 300_000));
    assertThat(formats).hasSize(1);
    assertThat(formats.values().iterator().next()).isBetween(285_000L, 315_000L);
  }

  @Test
  void singleEntriesAndOtherOrdersHaveNone() {
    assertThat(BlockFormats.of(blocks(36, 1, 0))).isEmpty();
    TensorShape shape = TensorShape.of(4, 4, 4);
    TensorFormat csf = TensorFormat.csf(3, ValueType.DOUBLE);
    assertThat(BlockFormats.of(Packing.pack(scope, shape, csf, List.of()))).isEmpty();
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    assertThat(BlockFormats.of(Packing.pack(scope, TensorShape.of(3, 3), csr, List.of())))
        .isEmpty();
  }
}
