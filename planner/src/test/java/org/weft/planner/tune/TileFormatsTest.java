package org.weft.planner.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.planner.machine.MachineParameters;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

class TileFormatsTest {
  /** Half of the cache holds 512 rows of 256 bytes. */
  private static final MachineParameters MACHINE =
      MachineParameters.defaults().withCore(256, 1 << 18, 1 << 23);

  private final MemoryScope scope = MemoryScope.root("tiles", MemorySource.system());

  @AfterEach
  void close() {
    scope.close();
  }

  private TensorStorage uniform(int rows, int columns, int entries) {
    Random random = new Random(3);
    CooBlock.Builder builder = new CooBlock.Builder(2, entries);
    for (int entry = 0; entry < entries; entry++) {
      builder.add(new long[] {random.nextInt(rows), random.nextInt(columns)}, 1);
    }
    TensorShape shape = TensorShape.of(rows, columns);
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    return Packing.pack(scope, shape, csr, List.of(builder.build()));
  }

  @Test
  void rowsOfATileTakeHalfOfTheCache() {
    List<TensorFormat> tiles = TileFormats.of(uniform(1000, 2000, 50_000), 256, MACHINE);
    assertThat(tiles)
        .containsExactly(
            TensorFormat.parse(
                "{D:0/512, D:1/512, D:0%512, CU[16,16]:1%512}", 2, ValueType.DOUBLE));
  }

  @Test
  void noneWhereTheRowsFitTheCache() {
    assertThat(TileFormats.of(uniform(1000, 1500, 50_000), 256, MACHINE)).isNotEmpty();
    assertThat(TileFormats.of(uniform(1000, 1000, 50_000), 256, MACHINE)).isEmpty();
    assertThat(TileFormats.of(uniform(1000, 2000, 50_000), 64, MACHINE)).isEmpty();
  }

  /** Rows of the result would be read and written for every few entries. */
  @Test
  void noneWhereTilesHaveFewEntriesOfARow() {
    assertThat(TileFormats.of(uniform(1000, 2000, 12_000), 256, MACHINE)).isEmpty();
  }

  @Test
  void noneForRowsOfTwoHalvesOfTheCacheAndForOtherOrders() {
    assertThat(TileFormats.of(uniform(1000, 2000, 50_000), 1 << 17, MACHINE)).isEmpty();
    assertThat(TileFormats.of(uniform(1000, 2000, 50_000), 0, MACHINE)).isEmpty();
    TensorFormat csf = TensorFormat.csf(3, ValueType.DOUBLE);
    TensorStorage cube = Packing.pack(scope, TensorShape.of(4, 4, 4), csf, List.of());
    assertThat(TileFormats.of(cube, 256, MACHINE)).isEmpty();
  }
}
