package org.weft.jobs.run;

import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.SparkLog;
import org.weft.spark.GrantedExecutors;

/**
 * Watches whether a Spark job has executors: Spark waits for them without an end, and starts others
 * for those that end as they start. Waits are said after {@code patience}, after twice as long, and
 * so on; the application ends after {@code limit}, or once all workers fail to start executors.
 * Those that a standalone cluster has granted are counted, too, from its log.
 */
final class ExecutorWatch extends SparkListener implements SparkLog.Scheduler, GrantedExecutors {
  /** Executors take a few seconds to start. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final String LIMIT = "spark.weft.executorTimeout";

  private final Duration patience;
  private final Duration limit;
  private final String wanted;
  private final Consumer<String> note;
  private final Consumer<String> end;
  private final FailedStarts failed = new FailedStarts();
  private final Set<String> noted = new HashSet<>();
  private final Set<String> executors = new HashSet<>();
  private final Set<Integer> jobs = new HashSet<>();

  /**
   * @param patience how long an application may wait before it is said
   * @param limit how long it may wait at all; zero: without an end
   * @param wanted what the application asks for, and whom
   * @param note takes a line for the user
   * @param end takes why the application cannot go on, and ends it
   */
  ExecutorWatch(
      Duration patience,
      Duration limit,
      String wanted,
      Consumer<String> note,
      Consumer<String> end) {
    this.patience = patience;
    this.limit = limit;
    this.wanted = wanted;
    this.note = note;
    this.end = end;
  }

  /** A watch for the application of these settings, which listens to Spark's log from now on. */
  static ExecutorWatch of(SparkConf conf, Console console) {
    Duration limit = Duration.ofSeconds(conf.getTimeAsSeconds(LIMIT, "2h"));
    String wanted =
        conf.get("spark.master")
            + " has none of "
            + conf.get("spark.executor.memory", "1g")
            + " (spark.executor.memory) for it; see the master's web page for workers, their free"
            + " cores and memory";
    ExecutorWatch watch =
        new ExecutorWatch(
            PATIENCE, limit, wanted, text -> console.note("%s", text), console::executorsLacking);
    if (!conf.get("spark.master").startsWith("local")) {
      SparkLog.follow(watch);
    }
    return watch;
  }

  /** Watches the executors of an application from now on, unless they are this process. */
  void follow(JavaSparkContext context) {
    if (!context.isLocal()) {
      context.sc().addSparkListener(start());
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
      boolean late = !limit.isZero() && waited.compareTo(limit) >= 0;
      if (late || failed.isHopeless()) {
        giveUp(waited, late);
        return;
      }
      if (waited.compareTo(next) < 0) {
        Duration wake = limit.isZero() || next.compareTo(limit) < 0 ? next : limit;
        wait(wake.minus(waited).toMillis() + 1);
        continue;
      }
      note.accept(
          "no executor for "
              + waited.toSeconds()
              + " s: the job waits while "
              + wanted
              + failed.last()
              + (limit.isZero() ? "" : "; the job ends after " + inWords(limit) + " without one"));
      while (next.compareTo(waited) <= 0) {
        next = next.multipliedBy(2);
      }
    }
    if (next.compareTo(patience) > 0 && !executors.isEmpty()) {
      note.accept("an executor is there, the job goes on");
    }
  }

  private void giveUp(Duration waited, boolean late) throws InterruptedException {
    end.accept(
        late
            ? "no executor for "
                + inWords(waited)
                + ": "
                + wanted
                + failed.last()
                + "; run again when there is one, or wait longer with "
                + LIMIT
            : "executors end as they start, on each worker "
                + FailedStarts.MOST
                + " and more in a row"
                + failed.last()
                + "; remove the cause and run again");
    while (waits()) {
      wait(); // the process ends
    }
  }

  private static String inWords(Duration time) {
    return time.toSecondsPart() == 0 && time.toMinutes() > 0
        ? time.toMinutes() + " min"
        : time.toSeconds() + " s";
  }

  @Override
  public synchronized void said(String line) {
    String worker = failed.read(line);
    if (worker != null && !executors.isEmpty() && noted.add(worker)) {
      note.accept(
          "executors end as they start on worker "
              + worker
              + ", the job goes on without them"
              + failed.last());
    }
    notifyAll();
  }

  @Override
  public synchronized String whyEnded() {
    return failed.last();
  }

  @Override
  public synchronized OptionalInt count() {
    return failed.granted();
  }

  private boolean waits() {
    return executors.isEmpty() && !jobs.isEmpty();
  }

  @Override
  public synchronized void onExecutorAdded(SparkListenerExecutorAdded added) {
    executors.add(added.executorId());
    failed.reached(added.executorId());
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
