package org.weft.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReusedMemoryTest {
  private static final long MIB = 1 << 20;

  /** A block that holds its own number from its first word to its last one. */
  private record Block(long address, long bytes, long number) {
    void mark() {
      NativeMemory.putLong(address, number);
      NativeMemory.putLong(address + bytes - Long.BYTES, number);
    }

    boolean isWhole() {
      return NativeMemory.getLong(address) == number
          && NativeMemory.getLong(address + bytes - Long.BYTES) == number;
    }
  }

  @Test
  void aBlockServesTheNextOneOfAboutItsSize() {
    try (ReusedMemory memory = new ReusedMemory()) {
      long first = memory.allocate(4 * MIB);
      memory.free(first, 4 * MIB);
      long larger = memory.allocate(4 * MIB + MIB / 4);
      assertThat(larger).isEqualTo(first);
      memory.free(larger, 4 * MIB + MIB / 4);
      long smaller = memory.allocate(3 * MIB);
      assertThat(smaller).isEqualTo(first);
      memory.free(smaller, 3 * MIB);
    }
  }

  @Test
  void blocksInUseAreApartWhateverTheirSizesAndOrder() {
    Random random = new Random(5);
    try (ReusedMemory memory = new ReusedMemory()) {
      Deque<Block> inUse = new ArrayDeque<>();
      List<Block> broken = new ArrayList<>();
      for (int number = 0; number < 3000; number++) {
        if (inUse.size() == 8 || !inUse.isEmpty() && random.nextBoolean()) {
          Block block = random.nextBoolean() ? inUse.removeFirst() : inUse.removeLast();
          if (!block.isWhole()) {
            broken.add(block);
          }
          memory.free(block.address(), block.bytes());
        } else {
          long bytes = 64L * (1 + random.nextInt(1 << random.nextInt(17)));
          Block block = new Block(memory.allocate(bytes), bytes, number);
          block.mark();
          inUse.add(block);
        }
      }
      assertThat(broken).isEmpty();
      inUse.forEach(block -> memory.free(block.address(), block.bytes()));
    }
  }

  @Test
  void whatIsInUseAtTheEndIsGivenBackWhenItIsFreed() {
    ReusedMemory memory = new ReusedMemory();
    Block block = new Block(memory.allocate(2 * MIB), 2 * MIB, 7);
    memory.close();
    block.mark();
    assertThat(block.isWhole()).isTrue();
    memory.free(block.address(), block.bytes());
  }
}
