package org.weft.jobs.run;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;

/**
 * Says when a Spark job has waited for its first executor for a while, and when executors are
 * there: a full or dead cluster looks like a slow one otherwise, because Spark waits without an
 * end. Waits are said after {@code patience}, after twice as long, and so on.
 */
final class ExecutorWatch extends SparkListener {
  /** Executors take a few seconds to start. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Duration patience;
  private final String master;
  private final Consumer<String> note;
  private final Set<String> executors = new HashSet<>();
  private final Set<Integer> jobs = new HashSet<>();

  /**
   * @param patience how long an application may wait before it is said
   * @param master that is asked for executors
   * @param note takes a line for the user
   */
  ExecutorWatch(Duration patience, String master, Consumer<String> note) {
    this.patience = patience;
    this.master = master;
    this.note = note;
  }

  /** Watches the executors of an application from now on, unless they are this process. */
  static void follow(JavaSparkContext context, Consumer<String> note) {
    if (!context.isLocal()) {
      context.sc().addSparkListener(new ExecutorWatch(PATIENCE, context.master(), note).start());
    }
  }

  /** Starts the thread that says what there is to say; it ends with the process. */
  ExecutorWatch start() {
    Thread thread = new Thread(this::watch, "weft-executor-watch");
    thread.setDaemon(true);
    thread.start();
    return this;
  }

  private void watch() {
    try {
      for (; ; ) {
        watchOnce();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Follows one wait from its begin to its end. */
  private synchronized void watchOnce() throws InterruptedException {
    while (!waits()) {
      wait();
    }
    long begin = System.nanoTime();
    Duration next = patience;
    while (waits()) {
      Duration waited = Duration.ofNanos(System.nanoTime() - begin);
      if (waited.compareTo(next) < 0) {
        wait(next.minus(waited).toMillis() + 1);
        continue;
      }
      note.accept(
          "no executor for "
              + waited.toSeconds()
              + " s: the job waits until "
              + master
              + " has one for it; see the master's web page for workers and free cores");
      next = next.multipliedBy(2);
    }
    if (next.compareTo(patience) > 0 && !executors.isEmpty()) {
      note.accept("an executor is there, the job goes on");
    }
  }

  private boolean waits() {
    return executors.isEmpty() && !jobs.isEmpty();
  }

  @Override
  public synchronized void onExecutorAdded(SparkListenerExecutorAdded added) {
    executors.add(added.executorId());
    notifyAll();
  }

  @Override
  public synchronized void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    executors.remove(removed.executorId());
    notifyAll();
  }

  @Override
  public synchronized void onJobStart(SparkListenerJobStart started) {
    jobs.add(started.jobId());
    notifyAll();
  }

  @Override
  public synchronized void onJobEnd(SparkListenerJobEnd ended) {
    jobs.remove(ended.jobId());
    notifyAll();
  }
}
