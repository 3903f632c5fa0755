package org.weft.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.HeldOut;
import org.weft.decomposition.Method;
import org.weft.decomposition.ModelError;
import org.weft.decomposition.completion.Completion;
import org.weft.decomposition.completion.NormalSolver;
import org.weft.decomposition.completion.Rival;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.planner.job.Job;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Steps of a decomposition are done by tasks that stand by, unless others want their cores. */
@ExtendWith(ClusterExtension.class)
@TestInstance(Lifecycle.PER_CLASS)
final class StandingTasksIT {
  private static final int ENDLESS = 300_000;

  private final TestCluster cluster;
  private final Map<Integer, String> jobs = new ConcurrentHashMap<>();
  private ClusterSession session;
  private EngineTensor tensor;

  StandingTasksIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  void start() {
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(4));
    session = new ClusterSession(cluster, options);
    session
        .context()
        .sc()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onJobStart(SparkListenerJobStart start) {
                jobs.put(
                    start.jobId(),
                    String.valueOf(start.properties().getProperty("spark.job.description")));
              }
            });
    Random random = new Random(7);
    CooBlock.Builder block = new CooBlock.Builder(3, 5_000);
    for (int e = 0; e < 5_000; e++) {
      long[] at = {random.nextInt(300), random.nextInt(200), random.nextInt(100)};
      block.add(at, random.nextDouble());
    }
    tensor =
        session
            .engine()
            .of("T", TensorShape.of(300, 200, 100), List.of(block.build()), ValueType.DOUBLE);
  }

  @AfterAll
  void stop() {
    session.close();
    cluster.restore();
  }

  private CpdResult decompose(int iterations) {
    return decompose(iterations, ProgressListener.NONE);
  }

  private CpdResult decompose(int iterations, ProgressListener progress) {
    return session.engine().cpd(tensor, cpd(iterations), progress);
  }

  private static Cpd cpd(int iterations) {
    return new Cpd(5, iterations, 0, false, 9, ValueType.DOUBLE);
  }

  @Test
  void oneJobIsForAllSteps() throws TimeoutException {
    session.context().sc().listenerBus().waitUntilEmpty();
    jobs.clear();
    assertThat(decompose(20).fits()).hasSize(20);
    session.context().sc().listenerBus().waitUntilEmpty();
    assertThat(jobs.values()).filteredOn(job -> job.contains("stand by")).hasSize(1);
    assertThat(jobs.values()).filteredOn(job -> job.contains("iteration")).isEmpty();
  }

  /**
   * Entries that are spread evenly are what the planner assumes where it counts rows. The first
   * iteration exchanges less, and is not counted.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 20})
  void rowsOfEvenTensorsTakeThePredictedBytes(int iterations) {
    Job job = cpd(iterations).job(tensor.statistics().shape());
    double predicted =
        session.engine().plan(tensor, job).predicted().step("merge").orElseThrow().bytesMoved();
    double measured = decompose(iterations).report().exchangedBytesPerIteration(iterations);
    assertThat(measured).isCloseTo(predicted, withinPercentage(10));
  }

  /** What judges a completion has a tensor of its own, and the completion runs within it. */
  @Tag("long")
  @Test
  void aCompletionSharesThemWithWhatJudgesIt() throws TimeoutException {
    session.context().sc().listenerBus().waitUntilEmpty();
    jobs.clear();
    int iterations = 6;
    HeldOut<Completion.Model> judged =
        new HeldOut<>(2 + 3 + 1, ValueType.DOUBLE, judge -> completed(iterations, judge));
    assertThat(run(judged).heldOut()).hasSize(iterations);
    session.context().sc().listenerBus().waitUntilEmpty();
    assertThat(jobs.values()).filteredOn(job -> job.contains("stand by")).hasSizeBetween(1, 2);
    assertThat(jobs).as("%s", jobs).hasSizeLessThan(iterations);
  }

  /** Rank 2, and columns of biases for three modes and the mean. */
  private Completion.Model completed(int iterations, ModelError judge) {
    return run(
        new Completion(
            new NormalSolver(0),
            2,
            true,
            iterations,
            iterations,
            0,
            0.1,
            1,
            ValueType.DOUBLE,
            Optional.of(judge),
            Rival.NONE));
  }

  private <M> M run(Method<M> method) {
    return session.engine().run(tensor, method, ProgressListener.NONE, (model, site) -> {}).model();
  }

  @Test
  void otherJobsOfTheApplicationGetCores() {
    CompletableFuture<CpdResult> running = CompletableFuture.supplyAsync(() -> decompose(ENDLESS));
    AtomicInteger counted = new AtomicInteger();
    while (!running.isDone() && counted.get() < 5) {
      List<Integer> numbers = IntStream.range(0, 100).boxed().toList();
      assertThat(session.context().parallelize(numbers, 4).count()).isEqualTo(100);
      counted.incrementAndGet();
    }
    assertThat(counted).as("jobs beside the decomposition").hasValue(5);
    cancel(running);
  }

  /** Between two of its jobs a decomposition has none that could be cancelled. */
  private void cancel(CompletableFuture<CpdResult> running) {
    while (!running.isDone()) {
      session.context().cancelAllJobs();
      LockSupport.parkNanos(20_000_000);
    }
    assertThatThrownBy(running::join).rootCause().hasMessageContaining("cancelled");
  }

  /** A program may run Spark jobs where it hears of progress: tasks do not stand by for ever. */
  @Test
  void aJobOfTheSameThreadGetsCores() {
    List<Long> counts = new ArrayList<>();
    ProgressListener counting =
        new ProgressListener() {
          @Override
          public void iteration(int n, double fit, double deltaFit, double seconds) {
            if (n == 2) {
              counts.add(session.context().parallelize(List.of(1, 2, 3), 3).count());
            }
          }
        };
    assertThat(decompose(4, counting).fits()).hasSize(4);
    assertThat(counts).containsExactly(3L);
  }

  @Test
  void aCancelledJobEndsTheDecomposition() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(5);
    ProgressListener counting =
        new ProgressListener() {
          @Override
          public void iteration(int n, double fit, double deltaFit, double seconds) {
            begun.countDown();
          }
        };
    CompletableFuture<CpdResult> running =
        CompletableFuture.supplyAsync(() -> decompose(ENDLESS, counting));
    begun.await();
    cancel(running);
    assertThat(decompose(3).fits()).hasSize(3);
  }
}
