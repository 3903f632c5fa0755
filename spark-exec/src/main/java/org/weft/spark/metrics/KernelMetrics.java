package org.weft.spark.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import org.jspecify.annotations.Nullable;
import org.weft.spark.resident.ResidentMemory;

/**
 * Source {@code weft} of Spark's metrics system, one per process. Per operation: {@code
 * kernel.<operation>.nonzeros} (counter), {@code .nonzerosPerSecond}, {@code .gflops} and {@code
 * .gbps} (of the last call), {@code .nanos} (histogram); and {@code resident.bytes}.
 */
public final class KernelMetrics implements Source {
  private static @Nullable SparkEnv registeredWith;
  private static KernelMetrics current = new KernelMetrics();

  private final MetricRegistry registry = new MetricRegistry();
  private final Map<String, Rates> last = new ConcurrentHashMap<>();

  private record Rates(double nonzerosPerSecond, double gflops, double gbps) {}

  private KernelMetrics() {
    registry.registerGauge("resident.bytes", (Gauge<Long>) ResidentMemory.PROCESS::liveBytes);
  }

  /** The source of this process, registered with the running Spark environment. */
  public static synchronized KernelMetrics ofProcess() {
    SparkEnv env = SparkEnv.get();
    if (env != null && env != registeredWith) {
      current = new KernelMetrics();
      env.metricsSystem().registerSource(current);
      registeredWith = env;
    }
    return current;
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
