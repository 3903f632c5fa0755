package org.weft.spark;

import org.apache.spark.SparkConf;
import org.weft.engine.EngineOptions;
import org.weft.spark.resident.OwnPool;

/** What suits Weft in Spark's configuration; it runs without any of it. */
final class Settings {
  private static final String OFF_HEAP = "spark.memory.offHeap.enabled";
  private static final String OFF_HEAP_SIZE = "spark.memory.offHeap.size";
  private static final long MEBIBYTE = 1L << 20;
  private static final long LEAST_OFF_HEAP_MEBIBYTES = 512;

  private Settings() {}

  static void apply(SparkConf conf, EngineOptions options) {
    conf.setIfMissing("spark.kryoserializer.buffer.max", "1g");
    // Factor matrices do not compress, and rows of a large mode are collected as they are.
    conf.setIfMissing("spark.broadcast.compress", "false");
    conf.setIfMissing("spark.driver.maxResultSize", "0");
    conf.setIfMissing(OFF_HEAP, "true");
    if (conf.getBoolean(OFF_HEAP, true)) {
      conf.setIfMissing(OFF_HEAP_SIZE, defaultOffHeapMebibytes(conf) + "m");
    }
    if (options.threadsPerTask() > 1) {
      conf.setIfMissing("spark.task.cpus", Integer.toString(options.threadsPerTask()));
    }
  }

  /** In one process three quarters of what the heap leaves; on a cluster as much as the heap. */
  private static long defaultOffHeapMebibytes(SparkConf conf) {
    long bytes =
        OwnPool.isInProcess(conf)
            ? OwnPool.besideHeap()
            : conf.getSizeAsBytes("spark.executor.memory", "1g");
    return Math.max(LEAST_OFF_HEAP_MEBIBYTES, bytes / MEBIBYTE);
  }
}
