package org.weft.spark;

import java.lang.management.ManagementFactory;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.KryoSerializer;
import org.weft.engine.EngineOptions;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.kryo.WeftRegistrator;

/** What Weft needs of Spark's configuration. */
final class Settings {
  static final String OFF_HEAP = "spark.memory.offHeap.enabled";
  static final String OFF_HEAP_SIZE = "spark.memory.offHeap.size";
  private static final String REGISTRATOR = "spark.kryo.registrator";
  private static final long MEBIBYTE = 1L << 20;
  private static final long LEAST_OFF_HEAP_MEBIBYTES = 512;

  private Settings() {}

  static void apply(SparkConf conf, EngineOptions options) {
    conf.set("spark.serializer", KryoSerializer.class.getName());
    conf.set("spark.kryo.registrationRequired", "true");
    String registrators = conf.get(REGISTRATOR, "");
    if (!registrators.contains(WeftRegistrator.class.getName())) {
      String own = WeftRegistrator.class.getName();
      conf.set(REGISTRATOR, registrators.isEmpty() ? own : registrators + "," + own);
    }
    conf.setIfMissing("spark.kryoserializer.buffer.max", "1g");
    // Factor matrices do not compress, and rows of a large mode are collected as they are.
    conf.setIfMissing("spark.broadcast.compress", "false");
    conf.setIfMissing("spark.driver.maxResultSize", "0");
    conf.set(OFF_HEAP, "true");
    conf.setIfMissing(OFF_HEAP_SIZE, defaultOffHeapMebibytes(conf) + "m");
    if (options.threadsPerTask() > 1) {
      conf.setIfMissing("spark.task.cpus", Integer.toString(options.threadsPerTask()));
    }
  }

  /** In one process three quarters of what the heap leaves; on a cluster as much as the heap. */
  private static long defaultOffHeapMebibytes(SparkConf conf) {
    if (isInProcess(conf)) {
      long left = physicalBytes() - Runtime.getRuntime().maxMemory();
      return Math.max(LEAST_OFF_HEAP_MEBIBYTES, left / 4 * 3 / MEBIBYTE);
    }
    return Math.max(LEAST_OFF_HEAP_MEBIBYTES, conf.getSizeAsMb("spark.executor.memory", "1g"));
  }

  private static long physicalBytes() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : 2 * Runtime.getRuntime().maxMemory();
  }

  static boolean isInProcess(SparkConf conf) {
    String master = conf.get("spark.master", "local[*]");
    return master.startsWith("local") && !master.startsWith("local-cluster");
  }

  /**
   * Checks what cannot be set once the context runs.
   *
   * @throws WeftException {@code USAGE} naming the missing setting
   */
  static void require(SparkConf conf) {
    requireSetting(
        conf.get("spark.serializer", "").equals(KryoSerializer.class.getName()),
        "spark.serializer=" + KryoSerializer.class.getName());
    requireSetting(
        conf.get(REGISTRATOR, "").contains(WeftRegistrator.class.getName()),
        REGISTRATOR + "=" + WeftRegistrator.class.getName());
    requireSetting(conf.getBoolean(OFF_HEAP, false), OFF_HEAP + "=true");
    requireSetting(conf.getSizeAsBytes(OFF_HEAP_SIZE, "0") > 0, OFF_HEAP_SIZE + "=4g or more");
  }

  private static void requireSetting(boolean present, String setting) {
    if (!present) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected a Spark context with "
              + setting
              + "; call Engine.configure on its SparkConf, or pass --conf "
              + setting);
    }
  }
}
