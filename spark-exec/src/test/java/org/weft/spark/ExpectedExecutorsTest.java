package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.Backend;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.planner.JobPlan;
import org.weft.planner.job.Job;
import org.weft.planner.machine.Resources;
import org.weft.tensor.ValueType;

/** Plans that are made while executors are still to come. */
final class ExpectedExecutorsTest {
  private static final EngineOptions OPTIONS = EngineOptions.defaults();
  private static final Cpd CPD = new Cpd(3, 2, 0, false, 9, ValueType.DOUBLE);

  @TempDir Path folder;

  private final List<String> asked = new ArrayList<>();

  /** A backend that waits for executors, of which so many are expected. */
  private Engine engine(int expected) {
    SparkBackend spark = new SparkBackend(LocalSpark.context(), OPTIONS, GrantedExecutors.UNKNOWN);
    Resources there = spark.resources();
    Resources then =
        new Resources(
            expected,
            there.coresPerExecutor(),
            there.threadsPerTask(),
            there.memoryBytesPerExecutor());
    Object waiting =
        Proxy.newProxyInstance(
            Backend.class.getClassLoader(),
            new Class<?>[] {Backend.class},
            (proxy, method, arguments) -> {
              asked.add(method.getName());
              return method.getName().equals("expected")
                  ? (asked.contains("resources") ? Optional.empty() : Optional.of(then))
                  : call(spark, method, arguments);
            });
    return new Engine((Backend) waiting, OPTIONS);
  }

  private static Object call(SparkBackend spark, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(spark, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private EngineTensor tensor(Engine engine) throws IOException {
    return SparseEntries.random(61, 500, 20, 15, 10).read(engine, folder, ValueType.DOUBLE);
  }

  @Test
  void aPlanIsForTheExecutorsThatCame() throws IOException {
    for (int expected : new int[] {1, 7}) {
      asked.clear();
      try (Engine engine = engine(expected)) {
        EngineTensor tensor = tensor(engine);
        Job job = CPD.job(tensor.statistics().shape());
        JobPlan plan = engine.plan(tensor, job);
        assertThat(plan.resources().executors()).isEqualTo(1);
        assertThat(asked.indexOf("expected")).isBetween(0, asked.indexOf("resources"));
      }
    }
  }

  @Test
  void aMethodIsPlannedBeforeExecutorsAreThere() throws IOException {
    asked.clear();
    try (Engine engine = engine(1)) {
      assertThat(engine.cpd(tensor(engine), CPD, ProgressListener.NONE).fits()).hasSize(2);
      assertThat(asked.indexOf("expected")).isBetween(0, asked.indexOf("resources"));
    }
  }
}
