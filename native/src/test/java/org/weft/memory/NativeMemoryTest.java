package org.weft.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NativeMemoryTest {
  private static final int MOST = 1100;

  /** Copies of every length from and to arrays, short ones word by word, touch nothing else. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 8})
  void copiesHaveTheirLength(int at) {
    byte[] numbers = new byte[MOST + 16];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = (byte) (1 + i % 127);
    }
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      long address = scope.allocate(ElementType.I64, MOST / Long.BYTES + 2).address();
      for (int count = 0; count <= MOST; count++) {
        NativeMemory.fill(address, MOST + 8, (byte) -1);
        NativeMemory.copyFromArray(numbers, at, address + 1, count);
        byte[] back = new byte[MOST + 16];
        NativeMemory.copyToArray(address + 1, back, at, count);
        assertThat(Arrays.equals(back, at, at + count, numbers, at, at + count)).isTrue();
        assertThat(Arrays.equals(back, 0, at, new byte[at], 0, at)).isTrue();
        assertThat(back[at + count]).isZero();
        assertThat(NativeMemory.getByte(address)).isEqualTo((byte) -1);
        assertThat(NativeMemory.getByte(address + 1 + count)).isEqualTo((byte) -1);
      }
    }
  }
}
