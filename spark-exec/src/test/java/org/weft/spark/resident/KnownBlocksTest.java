package org.weft.spark.resident;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.weft.spark.LocalSpark;
import scala.reflect.ClassTag$;

class KnownBlocksTest {
  /** Spark drops blocks at any time, on threads of its own. */
  @Test
  void blocksMayLeaveWhileTheyAreAskedFor() throws Exception {
    LocalSpark.context();
    BlockManager manager = SparkEnv.get().blockManager();
    BlockId block = new BroadcastBlockId(Long.MAX_VALUE, "_known");
    assertThat(ResidentMemory.isKnown(manager, block)).isFalse();
    AtomicBoolean ended = new AtomicBoolean();
    Thread drops =
        new Thread(
            () -> {
              while (!ended.get()) {
                manager.putSingle(
                    block,
                    "x",
                    StorageLevel.MEMORY_ONLY(),
                    false,
                    ClassTag$.MODULE$.apply(String.class));
                manager.memoryStore().remove(block);
                manager.removeBlock(block, false);
              }
            });
    drops.start();
    int found = 0;
    int missing = 0;
    try {
      long end = System.nanoTime() + 300_000_000L;
      while (System.nanoTime() < end) {
        if (ResidentMemory.isKnown(manager, block)) {
          found++;
        } else {
          missing++;
        }
      }
    } finally {
      ended.set(true);
      drops.join();
    }
    assertThat(found).isPositive();
    assertThat(missing).isPositive();
    assertThat(ResidentMemory.isKnown(manager, block)).isFalse();
  }
}
