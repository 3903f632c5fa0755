package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.weft.engine.EngineOptions;
import org.weft.spark.resident.ResidentMemory;

/** One in-process Spark for all tests of the module, stopped when the JVM ends. */
public final class LocalSpark {
  private static JavaSparkContext context;

  private LocalSpark() {}

  public static synchronized JavaSparkContext context() {
    if (context == null) {
      SparkConf conf = conf().set("spark.memory.offHeap.size", "1g");
      SparkEngine.configure(conf, EngineOptions.defaults());
      start(conf);
    }
    return context;
  }

  private static SparkConf conf() {
    return new SparkConf()
        .setMaster("local[2]")
        .setAppName("weft tests")
        .set("spark.ui.enabled", "false")
        .set("spark.unsafe.exceptionOnMemoryLeak", "true");
  }

  private static void start(SparkConf conf) {
    JavaSparkContext started = new JavaSparkContext(conf);
    Runtime.getRuntime().addShutdownHook(new Thread(started::close));
    context = started;
  }

  /** Ends the Spark that runs, and starts one of an application that knows nothing of Weft. */
  public static synchronized JavaSparkContext restart(Map<String, String> settings) {
    stop();
    SparkConf conf = conf();
    settings.forEach(conf::set);
    start(conf);
    return context;
  }

  /** Ends the Spark that runs; the next test starts the usual one. */
  public static synchronized void stop() {
    if (context != null) {
      context.close();
      SparkSession.clearActiveSession();
      SparkSession.clearDefaultSession();
      context = null;
    }
  }

  /** A session on the Spark that runs, with nothing set. */
  public static synchronized SparkSession current() {
    return SparkSession.builder().getOrCreate();
  }

  /** The session on {@link #context}, with few partitions. */
  public static SparkSession session() {
    context();
    return SparkSession.builder()
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", "target/spark-warehouse")
        .getOrCreate();
  }

  /** Fails if off-heap memory stays. Spark takes blocks out of its store in the background. */
  static void assertNothingResident() {
    long end = System.nanoTime() + 20_000_000_000L;
    do {
      ResidentMemory.PROCESS.sweep();
      if (ResidentMemory.PROCESS.liveBytes() > 0) {
        LockSupport.parkNanos(10_000_000);
      }
    } while (ResidentMemory.PROCESS.liveBytes() > 0 && System.nanoTime() < end);
    assertThat(ResidentMemory.PROCESS.liveBytes()).isZero();
  }
}
