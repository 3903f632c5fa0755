package org.weft.it.cluster;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.entries.Shared;
import org.weft.spark.SparkEngine;
import org.weft.spark.wire.Wire;

/**
 * A driver in the test's process whose executors are the cluster's. Sessions without settings of
 * their own take turns at one application, so that its executors start once for all of them.
 */
public final class ClusterSession implements AutoCloseable {
  private static @Nullable JavaSparkContext common;

  private final JavaSparkContext context;
  private final Engine engine;
  private final boolean own;

  public ClusterSession(TestCluster cluster, EngineOptions options) {
    this(cluster, options, Map.of());
  }

  /**
   * @param settings of Spark, beside those of every session
   * @param more jars of test classes that executors need
   */
  public ClusterSession(
      TestCluster cluster, EngineOptions options, Map<String, String> settings, Path... more) {
    own = !settings.isEmpty() || more.length > 0;
    context = own ? begin(cluster, options, settings, more) : common(cluster, options);
    engine = SparkEngine.create(context, options);
  }

  private static synchronized JavaSparkContext common(TestCluster cluster, EngineOptions options) {
    JavaSparkContext there = common;
    if (there == null || there.sc().isStopped()) {
      there = begin(cluster, options, Map.of());
      common = there;
    }
    return there;
  }

  /** Ends the common application: it has all cores of the cluster, which others need. */
  public static synchronized void endCommon() {
    if (common != null) {
      common.stop();
      common = null;
    }
  }

  private static JavaSparkContext begin(
      TestCluster cluster, EngineOptions options, Map<String, String> settings, Path... more) {
    endCommon();
    SparkConf conf = new SparkConf().setAppName("session of a test");
    ClusterSettings.sparkDefaults(cluster.sparkMaster(), "").forEach(conf::set);
    ClusterSettings.hdfsClient(cluster.hdfsUri())
        .forEach((key, value) -> conf.set("spark.hadoop." + key, value));
    conf.set(
        "spark.jars",
        Stream.concat(Stream.of(WeftJars.executor()), Arrays.stream(more))
            .map(Path::toString)
            .collect(Collectors.joining(",")));
    conf.set("spark.memory.offHeap.size", "512m");
    conf.set("spark.executor.extraJavaOptions", cluster.executorOptions());
    settings.forEach(conf::set);
    SparkEngine.configure(conf, options);
    return new JavaSparkContext(conf);
  }

  public Engine engine() {
    return engine;
  }

  /** For programs without Weft. */
  public JavaSparkContext context() {
    return context;
  }

  /** A value for all executors. */
  public <T> Shared<T> share(T value) {
    return Wire.send(context, value);
  }

  @Override
  public void close() {
    engine.close();
    if (own) {
      context.stop();
    }
  }
}
