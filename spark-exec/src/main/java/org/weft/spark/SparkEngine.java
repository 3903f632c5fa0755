package org.weft.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;

/** Engines on Spark contexts. */
public final class SparkEngine {
  private SparkEngine() {}

  /**
   * Sets what Weft needs: Kryo with registration required, off-heap memory, and defaults for sizes
   * that the caller has not set. Call it before the context is made.
   */
  public static void configure(SparkConf conf, EngineOptions options) {
    Settings.apply(conf, options);
  }

  /**
   * An engine on {@code context}, one at a time; the context stays the caller's and open.
   *
   * @throws org.weft.error.WeftException {@code USAGE} if the context was not configured
   */
  public static Engine create(JavaSparkContext context, EngineOptions options) {
    Settings.require(context.getConf());
    return new Engine(new SparkBackend(context, options), options);
  }
}
