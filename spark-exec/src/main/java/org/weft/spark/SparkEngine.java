package org.weft.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;

/** Engines on Spark contexts. */
public final class SparkEngine {
  private SparkEngine() {}

  /**
   * Sets what suits Weft where the caller has set nothing: off-heap memory of Spark's own, and
   * sizes. Weft runs without; it then bounds its off-heap memory itself. Serializers stay as they
   * are: Weft brings its own. Call it before the context is made.
   */
  public static void configure(SparkConf conf, EngineOptions options) {
    Settings.apply(conf, options);
  }

  /** An engine on {@code context}, one at a time; the context stays the caller's and open. */
  public static Engine create(JavaSparkContext context, EngineOptions options) {
    return new Engine(new SparkBackend(context, options), options);
  }
}
