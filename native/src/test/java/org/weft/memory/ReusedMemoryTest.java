package org.weft.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

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

  /** The system's memory up to a limit, which knows the blocks that are out. */
  private static final class Limited implements MemorySource {
    private final long limit;
    private final Map<Long, Long> out = new HashMap<>();

    Limited(long limit) {
      this.limit = limit;
    }

    long bytes() {
      return out.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public long allocate(long bytes) {
      if (bytes > limit - bytes()) {
        throw new WeftException(ErrorCode.OUT_OF_MEMORY, "no room for " + bytes);
      }
      long address = MemorySource.system().allocate(bytes);
      out.put(address, bytes);
      return address;
    }

    @Override
    public void free(long address, long bytes) {
      assertThat(out.remove(address)).isEqualTo(bytes);
      MemorySource.system().free(address, bytes);
    }
  }

  @Test
  void keptBlocksAndSpareRoomGoWhereMemoryIsShort() {
    Limited limited = new Limited(10 * MIB);
    ReusedMemory memory = new ReusedMemory(limited);
    long one = memory.allocate(2 * MIB);
    long other = memory.allocate(3 * MIB);
    memory.free(one, 2 * MIB);
    memory.free(other, 3 * MIB);
    long all = memory.allocate(10 * MIB);
    assertThat(limited.bytes()).isEqualTo(10 * MIB);
    assertThatThrownBy(() -> memory.allocate(MIB)).isInstanceOf(WeftException.class);
    memory.free(all, 10 * MIB);
    memory.close();
    assertThat(limited.bytes()).isZero();
  }

  @Test
  void thereAreNoMoreBlocksThanWereInUseAtATime() {
    Limited limited = new Limited(Long.MAX_VALUE);
    ReusedMemory memory = new ReusedMemory(limited);
    for (long size = MIB; size < 40 * MIB; size += 3 * MIB) {
      long one = memory.allocate(size);
      long other = memory.allocate(size);
      assertThat(limited.out).hasSize(2);
      memory.free(one, size);
      memory.free(other, size);
    }
    memory.close();
    assertThat(limited.out).isEmpty();
  }

  @Test
  void aBlockServesTheNextOneOfAboutItsSize() {
    try (ReusedMemory memory = new ReusedMemory(new Limited(Long.MAX_VALUE))) {
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
    try (ReusedMemory memory = new ReusedMemory(new Limited(Long.MAX_VALUE))) {
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
    Limited limited = new Limited(Long.MAX_VALUE);
    ReusedMemory memory = new ReusedMemory(limited);
    Block block = new Block(memory.allocate(2 * MIB), 2 * MIB, 7);
    memory.close();
    block.mark();
    assertThat(block.isWhole()).isTrue();
    memory.free(block.address(), block.bytes());
    assertThat(limited.out).isEmpty();
  }
}
