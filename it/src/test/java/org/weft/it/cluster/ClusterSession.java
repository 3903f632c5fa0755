package org.weft.it.cluster;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.spark.SparkEngine;

/** A driver in the test's process whose executors are the cluster's. */
public final class ClusterSession implements AutoCloseable {
  private final JavaSparkContext context;
  private final Engine engine;

  public ClusterSession(TestCluster cluster, EngineOptions options) {
    SparkConf conf = new SparkConf().setAppName("session of a test");
    ClusterSettings.sparkDefaults(cluster.sparkMaster(), "").forEach(conf::set);
    ClusterSettings.hdfsClient(cluster.hdfsUri())
        .forEach((key, value) -> conf.set("spark.hadoop." + key, value));
    conf.set("spark.jars", WeftJars.executor().toString());
    conf.set("spark.memory.offHeap.size", "512m");
    SparkEngine.configure(conf, options);
    context = new JavaSparkContext(conf);
    engine = SparkEngine.create(context, options);
  }

  public Engine engine() {
    return engine;
  }

  @Override
  public void close() {
    engine.close();
    context.stop();
  }
}
