package org.weft.spark.resident;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.unsafe.Platform;

/**
 * The number that blocks of executors are named by, so that they can be removed together. Blocks
 * have the names that blocks of a broadcast have, and Spark removes them as it removes those. A
 * broadcast itself would cost some megabytes of the driver's heap and several messages, for each of
 * the steps of a method.
 *
 * @param number above all numbers that Spark gives its broadcasts
 */
public record BlockSpace(long number) implements Serializable {
  private static final long FIRST = 1L << 48;
  private static final AtomicLong NEXT = new AtomicLong(FIRST);

  /** A space without blocks. Driver side. */
  public static BlockSpace next() {
    return new BlockSpace(NEXT.getAndIncrement());
  }

  /** Removes the blocks in all processes, and does not wait for it. A stopped session has none. */
  public void remove(SparkContext context) {
    if (!context.isStopped()) {
      context.env().blockManager().master().removeBroadcast(number, true, false);
    }
  }

  BlockId block(String name) {
    return new BroadcastBlockId(number, name);
  }

  /** Whether the space is still there, as this process sees it, which has no other block of it. */
  BooleanSupplier isThere() {
    BlockManager manager = SparkEnv.get().blockManager();
    BlockId mark = block("");
    if (!ResidentMemory.isKnown(manager, mark)) {
      ByteBuffer content = Platform.allocateDirectBuffer(1);
      content.put(0, (byte) 1);
      FactorBlocks.put(mark, content);
    }
    return () -> ResidentMemory.isKnown(manager, mark);
  }
}
