package org.weft.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.distributed.Parts;
import org.weft.planner.InputReading;
import org.weft.spark.wire.Wire;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

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
    return create(context, options, GrantedExecutors.UNKNOWN);
  }

  /** As above, with what is known of the executors that are still to come. */
  public static Engine create(
      JavaSparkContext context, EngineOptions options, GrantedExecutors granted) {
    return new Engine(new SparkBackend(context, options, granted), options);
  }

  /**
   * A tensor of entries that lie on executors, which {@code engine} owns from now on; duplicates
   * are summed. The entries are computed, counted and kept once.
   *
   * @param engine on the same context
   * @param name for messages
   */
  public static EngineTensor tensor(
      Engine engine, String name, JavaRDD<CooBlock> entries, TensorShape shape, ValueType type) {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(entries.context());
    JavaRDD<CooBlock> parts = Wire.partitioned(entries);
    return engine.own(
        SparkTensor.of(context, engine.files(), name, parts, shape, type, InputReading.free()));
  }

  /** The entries of parts that an engine on Spark has made, where they lie. */
  public static JavaRDD<CooBlock> entries(Parts parts) {
    return ((SparkParts) parts).entries();
  }
}
