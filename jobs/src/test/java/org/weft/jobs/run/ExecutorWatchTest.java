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

  private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

  private ExecutorWatch watch(Duration patience) {
    return new ExecutorWatch(patience, "spark://head:7077", said::add).start();
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

  private static SparkListenerExecutorAdded added(String id) {
    return new SparkListenerExecutorAdded(
        0, id, new ExecutorInfo("host", 1, scala.collection.immutable.Map$.MODULE$.empty()));
  }

  private static SparkListenerJobStart started(int job) {
    Seq<StageInfo> none = Seq$.MODULE$.<StageInfo>newBuilder().result();
    return new SparkListenerJobStart(job, 0, none, new Properties());
  }
}
