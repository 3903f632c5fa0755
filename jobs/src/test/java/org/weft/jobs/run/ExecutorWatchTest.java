package org.weft.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.cluster.ExecutorInfo;
import org.junit.jupiter.api.Test;
import scala.collection.immutable.Seq;
import scala.collection.immutable.Seq$;

class ExecutorWatchTest {
  private static final Duration SHORT = Duration.ofMillis(20);

  private static final Duration LONG = Duration.ofMinutes(10);

  private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

  private ExecutorWatch watch(Duration patience) {
    return watch(patience, Duration.ZERO);
  }

  private ExecutorWatch watch(Duration patience, Duration limit) {
    return new ExecutorWatch(patience, limit, "spark://head:7077 has none", said::add, ends::add)
        .start();
  }

  private String next() throws InterruptedException {
    return said.poll(1, TimeUnit.MINUTES);
  }

  @Test
  void saysThatAJobWaitsAndThatItGoesOn() throws InterruptedException {
    ExecutorWatch watch = watch(SHORT);
    watch.onJobStart(started(0));
    assertThat(next()).startsWith("no executor for 0 s: ").contains("spark://head:7077");
    assertThat(next()).startsWith("no executor for ");
    watch.onExecutorAdded(added("0"));
    String last = next();
    while (last.startsWith("no executor")) {
      last = next();
    }
    assertThat(last).isEqualTo("an executor is there, the job goes on");
  }

  @Test
  void saysThatTheLastExecutorOfAJobIsLost() throws InterruptedException {
    ExecutorWatch watch = watch(SHORT);
    watch.onExecutorAdded(added("0"));
    watch.onExecutorAdded(added("1"));
    watch.onJobStart(started(0));
    watch.onExecutorRemoved(new SparkListenerExecutorRemoved(0, "0", "worker lost"));
    watch.onExecutorRemoved(new SparkListenerExecutorRemoved(0, "1", "worker lost"));
    assertThat(next()).startsWith("no executor for ");
  }

  @Test
  void saysNothingWhileNoJobRunsOrExecutorsAreThere() throws InterruptedException {
    ExecutorWatch idle = watch(SHORT);
    idle.onJobStart(started(0));
    idle.onExecutorAdded(added("0"));
    idle.onJobEnd(new SparkListenerJobEnd(0, 0, JobSucceeded$.MODULE$));
    idle.onExecutorRemoved(new SparkListenerExecutorRemoved(0, "0", "idle"));
    said.clear();
    Thread.sleep(5 * SHORT.toMillis());
    assertThat(said).isEmpty();
    ExecutorWatch quick = watch(Duration.ofMinutes(10));
    quick.onJobStart(started(0));
    quick.onExecutorAdded(added("0"));
    assertThat(said).isEmpty();
  }

  @Test
  void endsAfterTheLimit() throws InterruptedException {
    ExecutorWatch watch = watch(LONG, SHORT);
    watch.onJobStart(started(0));
    assertThat(ends.poll(1, TimeUnit.MINUTES))
        .startsWith("no executor for 0 s: spark://head:7077 has none")
        .contains("spark.weft.executorTimeout");
    assertThat(said).isEmpty();
  }

  @Test
  void saysWhenItWillEnd() throws InterruptedException {
    watch(SHORT, LONG).onJobStart(started(0));
    assertThat(next()).endsWith("; the job ends after 10 min without one");
  }

  @Test
  void endsWhenAllWorkersFailToStartExecutors() throws InterruptedException {
    ExecutorWatch watch = watch(LONG, LONG);
    watch.onJobStart(started(0));
    granted(watch, 2_000, "b:2");
    for (int n = 0; n < 3 * FailedStarts.MOST; n++) {
      granted(watch, n, "a:1");
      removed(watch, n);
    }
    Thread.sleep(5 * SHORT.toMillis());
    assertThat(ends).isEmpty();
    for (int n = 0; n < FailedStarts.MOST; n++) {
      removed(watch, 2_000 + n);
      granted(watch, 2_001 + n, "b:2");
    }
    assertThat(ends.poll(1, TimeUnit.MINUTES))
        .startsWith("executors end as they start, on each worker 20 and more in a row")
        .contains("app-1/2019 on worker b:2: No space left on device; ");
    assertThat(said).isEmpty();
  }

  @Test
  void saysThatOneWorkerFailsToStartExecutors() {
    ExecutorWatch watch = watch(LONG, LONG);
    watch.onJobStart(started(0));
    granted(watch, 0, "a:1");
    for (int n = 1; n <= 3 * FailedStarts.MOST; n++) {
      granted(watch, n, "b:2");
      removed(watch, n);
      if (n == 2 * FailedStarts.MOST - 1) {
        watch.onExecutorAdded(added("0"));
      }
    }
    assertThat(said)
        .singleElement()
        .asString()
        .startsWith("executors end as they start on worker b:2, the job goes on without them")
        .contains("app-1/40 on worker b:2: No space left on device");
    assertThat(ends).isEmpty();
  }

  @Test
  void executorsThatHadReachedTheDriverDidNotFailToStart() throws InterruptedException {
    ExecutorWatch watch = watch(LONG, LONG);
    watch.onJobStart(started(0));
    for (int n = 0; n < 2 * FailedStarts.MOST; n++) {
      granted(watch, n, "a:1");
      watch.onExecutorAdded(added("" + n));
      watch.onExecutorRemoved(new SparkListenerExecutorRemoved(0, "" + n, "killed"));
      removed(watch, n);
    }
    Thread.sleep(5 * SHORT.toMillis());
    assertThat(ends).isEmpty();
    assertThat(watch.whyEnded()).isEmpty();
  }

  @Test
  void countsWhatIsGranted() {
    ExecutorWatch watch = watch(LONG);
    assertThat(watch.count()).isEmpty();
    granted(watch, 0, "a:1");
    granted(watch, 1, "b:2");
    assertThat(watch.count()).hasValue(2);
    watch.onExecutorAdded(added("0"));
    removed(watch, 0);
    assertThat(watch.count()).hasValue(1);
  }

  @Test
  void countsNothingOnceAnExecutorHasFailedToStart() {
    ExecutorWatch watch = watch(LONG);
    granted(watch, 0, "a:1");
    removed(watch, 0);
    granted(watch, 1, "a:1");
    assertThat(watch.count()).isEmpty();
  }

  private static void granted(ExecutorWatch watch, int id, String worker) {
    watch.said(
        "Granted executor ID app-1/"
            + id
            + " on hostPort "
            + worker
            + " with 1 core(s), 1 GiB RAM");
  }

  private static void removed(ExecutorWatch watch, int id) {
    watch.said("Executor app-1/" + id + " removed: No space left on device\n\tat java");
  }

  private static SparkListenerExecutorAdded added(String id) {
    return new SparkListenerExecutorAdded(
        0, id, new ExecutorInfo("host", 1, scala.collection.immutable.Map$.MODULE$.empty()));
  }

  private static SparkListenerJobStart started(int job) {
    Seq<StageInfo> none = Seq$.MODULE$.<StageInfo>newBuilder().result();
    return new SparkListenerJobStart(job, 0, none, new Properties());
  }
}
