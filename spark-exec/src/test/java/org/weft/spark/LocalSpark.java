package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

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
      SparkConf conf =
          new SparkConf()
              .setMaster("local[2]")
              .setAppName("weft tests")
              .set("spark.ui.enabled", "false")
              .set("spark.memory.offHeap.size", "1g")
              .set("spark.unsafe.exceptionOnMemoryLeak", "true");
      SparkEngine.configure(conf, EngineOptions.defaults());
      context = new JavaSparkContext(conf);
      Runtime.getRuntime().addShutdownHook(new Thread(context::close));
    }
    return context;
  }

  /** The session on {@link #context}, with few partitions. */
  public static SparkSession session() {
    context();
    return SparkSession.builder()
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", "target/spark-warehouse")
        .getOrCreate();
  }

  /** Fails if off-heap memory stays. */
  static void assertNothingResident() {
    ResidentMemory.PROCESS.sweep();
    assertThat(ResidentMemory.PROCESS.liveBytes()).isZero();
  }
}
