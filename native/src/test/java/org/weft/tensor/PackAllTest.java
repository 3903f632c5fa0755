package org.weft.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;

/** Several forms of one tensor at once. */
class PackAllTest {
  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());

  @AfterEach
  void noLeak() {
    assertThat(scope.liveBytes()).isZero();
    scope.close();
  }

  private static Queue<CooBlock> twoBlocks() {
    CooBlock.Builder builder = new CooBlock.Builder(2, 4);
    builder.add(new long[] {13, 2}, 3);
    builder.add(new long[] {10, 5}, 1);
    CooBlock first = builder.build();
    builder.add(new long[] {13, 2}, 4);
    return new ArrayDeque<>(List.of(first, builder.build()));
  }

  @Test
  void takesTheBlocksAndRebasesEveryForm() {
    TensorFormat csf = TensorFormat.csf(2, ValueType.DOUBLE);
    Queue<CooBlock> blocks = twoBlocks();
    try (PackedForms packed =
        Packing.packAll(
            scope,
            TensorShape.of(4, 6),
            List.of(csf, csf.withModeOrder(1, 0)),
            EntrySource.of(blocks),
            new long[] {10, 0},
            2)) {
      assertThat(blocks).isEmpty();
      assertThat(packed.forms()).hasSize(2);
      assertThat(packed.duplicates()).isEqualTo(1);
      assertThat(packed.sumOfSquares()).isEqualTo(50);
      CooBlock rows = Packing.unpack(packed.forms().get(0));
      assertThat(rows.coordinate(0, 1)).isEqualTo(3);
      assertThat(rows.values()).containsExactly(1, 7);
      assertThat(Packing.unpack(packed.forms().get(1)).values()).containsExactly(7, 1);
    }
  }

  @Test
  void leavesNothingWhereOneFormCannotBe() {
    TensorFormat csf = TensorFormat.csf(2, ValueType.DOUBLE);
    TensorShape shape = TensorShape.of(300, 6);
    assertThatThrownBy(
            () ->
                Packing.packAll(
                    scope,
                    shape,
                    List.of(csf, csf.withWidths(Width.W64, Width.W8)),
                    twoBlocks(),
                    1))
        .isInstanceOfSatisfying(
            WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WIDTH_OVERFLOW));
    assertThatThrownBy(
            () -> Packing.packAll(scope, TensorShape.of(13, 6), List.of(csf), twoBlocks(), 1))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.COORDINATE_OUT_OF_RANGE));
  }
}
