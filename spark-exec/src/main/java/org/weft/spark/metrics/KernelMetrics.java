package org.weft.spark.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import org.jspecify.annotations.Nullable;
import org.weft.engine.TaskMeasurement;

/**
 * Source {@code weft} of Spark's metrics system, one per process. Per operation: {@code
 * kernel.<operation>.nonzeros} (counter), {@code .nonzerosPerSecond}, {@code .gflops} and {@code
 * .gbps} (of the last call), {@code .nanos} (histogram); and {@code resident.bytes}.
 */
public final class KernelMetrics implements Source {
  private static @Nullable SparkEnv registeredWith;
  private static @Nullable KernelMetrics current;

  private final MetricRegistry registry = new MetricRegistry();
  private final Map<String, Rates> last = new ConcurrentHashMap<>();

  private record Rates(double nonzerosPerSecond, double gflops, double gbps) {}

  private KernelMetrics(LongSupplier residentBytes) {
    registry.registerGauge("resident.bytes", (Gauge<Long>) residentBytes::getAsLong);
  }

  /**
   * The source of this process, registered with the running Spark environment.
   *
   * @param residentBytes bytes of tensors that the process holds off the heap
   */
  public static synchronized KernelMetrics ofProcess(LongSupplier residentBytes) {
    SparkEnv env = SparkEnv.get();
    KernelMetrics source = current;
    if (source == null || env != null && env != registeredWith) {
      source = new KernelMetrics(residentBytes);
      current = source;
      if (env != null) {
        env.metricsSystem().registerSource(source);
        registeredWith = env;
      }
    }
    return source;
  }

  /** Counts one kernel call. */
  public void record(String operation, TaskMeasurement call) {
    String name = "kernel." + operation;
    registry.counter(name + ".nonzeros").inc(call.nonzeros());
    registry.histogram(name + ".nanos").update(call.nanos());
    double seconds = Math.max(1, call.nanos()) * 1e-9;
    Rates rates =
        new Rates(
            call.nonzeros() / seconds,
            call.flops() / seconds * 1e-9,
            call.bytes() / seconds * 1e-9);
    if (last.put(operation, rates) == null) {
      gauge(name + ".nonzerosPerSecond", () -> rates(operation).nonzerosPerSecond);
      gauge(name + ".gflops", () -> rates(operation).gflops);
      gauge(name + ".gbps", () -> rates(operation).gbps);
    }
  }

  private void gauge(String name, Gauge<Double> gauge) {
    registry.gauge(name, () -> gauge);
  }

  private Rates rates(String operation) {
    return last.getOrDefault(operation, new Rates(0, 0, 0));
  }

  @Override
  public String sourceName() {
    return "weft";
  }

  @Override
  public MetricRegistry metricRegistry() {
    return registry;
  }
}
