package org.weft.spark.resident;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.Test;
import org.weft.spark.LocalSpark;

class BlockSpaceTest {
  @Test
  void removesItsBlocksAndNoOthers() throws Exception {
    BlockManager manager = manager();
    BlockSpace removed = BlockSpace.next();
    BlockSpace kept = BlockSpace.next();
    put(removed, "_factor0_0");
    put(removed, "_factor1_0");
    put(kept, "_factor0_0");
    BooleanSupplier removedIsThere = removed.isThere();
    BooleanSupplier keptIsThere = kept.isThere();
    assertThat(removedIsThere.getAsBoolean()).isTrue();

    removed.remove(LocalSpark.context().sc());

    await(() -> !removedIsThere.getAsBoolean());
    await(() -> !ResidentMemory.isKnown(manager, removed.block("_factor0_0")));
    await(() -> !ResidentMemory.isKnown(manager, removed.block("_factor1_0")));
    assertThat(keptIsThere.getAsBoolean()).isTrue();
    assertThat(ResidentMemory.isKnown(manager, kept.block("_factor0_0"))).isTrue();
    kept.remove(LocalSpark.context().sc());
    await(() -> !keptIsThere.getAsBoolean());
  }

  /** A step of a method takes several: each broadcast has 4 MB made ready for it. */
  @Test
  void takesNoNumberOfABroadcast() {
    long before = LocalSpark.context().broadcast(0).id();
    BlockSpace first = BlockSpace.next();
    BlockSpace second = BlockSpace.next();
    assertThat(LocalSpark.context().broadcast(0).id()).isEqualTo(before + 1);
    assertThat(second.number()).isGreaterThan(first.number());
    assertThat(first.number()).isGreaterThan(1L << 40);
  }

  private static BlockManager manager() {
    LocalSpark.context();
    return SparkEnv.get().blockManager();
  }

  private static void put(BlockSpace space, String name) {
    ByteBuffer content = Platform.allocateDirectBuffer(8);
    FactorBlocks.put(space.block(name), content);
    assertThat(ResidentMemory.isKnown(manager(), space.block(name))).isTrue();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(10);
    }
  }
}
