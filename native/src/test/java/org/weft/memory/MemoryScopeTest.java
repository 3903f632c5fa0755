package org.weft.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

class MemoryScopeTest {
  @Test
  void closingAScopeFreesEverythingBelowIt() {
    int[] freed = {0};
    MemoryScope root = MemoryScope.root("test", counting(freed));
    MemoryScope child = root.child("child");
    NativeArray array = child.allocate(ElementType.I64, 10);
    child.child("grandchild").allocate(ElementType.U8, 3);
    root.allocate(ElementType.F32, 1);
    assertThat(root.liveBytes()).isEqualTo(80 + 64 + 64);
    child.close();
    assertThat(freed[0]).isEqualTo(2);
    assertThat(root.liveBytes()).isEqualTo(64);
    assertThatThrownBy(() -> array.getLong(0)).isInstanceOf(IndexOutOfBoundsException.class);
    root.close();
    assertThat(freed[0]).isEqualTo(3);
  }

  @Test
  void arraysAllocatedTogetherShareABlockAndDoNotOverlap() {
    int[] freed = {0};
    MemoryScope root = MemoryScope.root("test", counting(freed));
    List<ElementType> types = List.of(ElementType.U8, ElementType.F64, ElementType.U16);
    List<NativeArray> arrays = root.allocateTogether(types, 65, 0, 3);
    assertThat(arrays).extracting(NativeArray::length).containsExactly(65L, 0L, 3L);
    assertThat(arrays).extracting(NativeArray::type).isEqualTo(types);
    assertThat(arrays.get(1).address()).isEqualTo(arrays.get(0).address() + 128);
    assertThat(arrays.get(2).address()).isEqualTo(arrays.get(1).address() + 64);
    assertThat(root.liveBytes()).isEqualTo(65 + 64 + 64);
    root.close();
    assertThat(freed[0]).isEqualTo(1);
    assertThatThrownBy(() -> arrays.get(2).getLong(0))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void largeBlocksHaveTheirBytesWhereverHugePagesStart() {
    for (long bytes : new long[] {(1 << 20) - 1, 1 << 20, (3 << 20) - 1, 3 << 20, (4 << 20) + 5}) {
      try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
        NativeArray array = scope.allocate(ElementType.U8, bytes);
        array.setLong(bytes - 1, 7);
        assertThat(array.getLong(bytes - 1)).isEqualTo(7);
        assertThat(array.address() % MemorySource.ALIGNMENT).isZero();
      }
    }
  }

  @Test
  void closingTwiceIsAnError() {
    MemoryScope root = MemoryScope.root("test", MemorySource.system());
    root.close();
    assertThatThrownBy(root::close).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> root.allocate(ElementType.U8, 1))
        .isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void elementsRoundTripAndAreAlignedAndZeroed(ElementType type) {
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      NativeArray array = scope.allocate(type, 5);
      assertThat(array.address() % MemorySource.ALIGNMENT).isZero();
      for (int i = 0; i < 5; i++) {
        assertThat(array.getLong(i)).isZero();
        array.setLong(i, 200 + i);
        assertThat(array.getLong(i)).isEqualTo(200 + i);
      }
      array.setDouble(2, 77);
      assertThat(array.getDouble(2)).isEqualTo(77);
      assertThatThrownBy(() -> array.getLong(5)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> array.setLong(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void runsOfNumbersRoundTripAndStayWithinTheArray(ElementType type) {
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      NativeArray array = scope.allocate(type, 5);
      array.setDoubles(1, new double[] {9, 1, 2, 3, 9}, 1, 3);
      double[] read = {7, 7, 7, 7, 7};
      array.getDoubles(1, read, 1, 4);
      assertThat(read).containsExactly(7, 1, 2, 3, 0);
      for (long from : new long[] {-1, 3, Long.MAX_VALUE}) {
        assertThatThrownBy(() -> array.getDoubles(from, new double[3], 0, 3))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> array.setDoubles(from, new double[3], 0, 3))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
    }
  }

  @Test
  void moreThanTheMachineHasIsAResourceErrorBeforeAnythingIsTouched() {
    long available = MachineMemory.availableBytes();
    assertThat(available).isBetween(1L << 20, 1L << 50);
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      assertThatThrownBy(() -> scope.allocate(ElementType.U8, 2 * available))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("available")
          .extracting(e -> ((WeftException) e).code())
          .isEqualTo(ErrorCode.OUT_OF_MEMORY);
      assertThatThrownBy(() -> scope.allocate(ElementType.F64, 1L << 61))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("2305843009213693952 elements");
    }
  }

  @Test
  void anImpossibleAllocationIsAResourceError() {
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      assertThatThrownBy(() -> scope.allocate(ElementType.U8, 1L << 60))
          .isInstanceOfSatisfying(
              WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY));
      assertThat(scope.liveBytes()).isZero();
    }
  }

  private static MemorySource counting(int[] freed) {
    MemorySource system = MemorySource.system();
    return new MemorySource() {
      @Override
      public long allocate(long bytes) {
        return system.allocate(bytes);
      }

      @Override
      public void free(long address, long bytes) {
        freed[0]++;
        system.free(address, bytes);
      }
    };
  }
}
