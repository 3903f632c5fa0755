package org.weft.spark;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.status.api.v1.ExecutorSummary;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Counts the executors of an application. A young application is still getting them, and a plan
 * that is made for the first one leaves the others idle to its end. So the first question waits:
 * for as many executors as the application asked for, or else as it was granted, or until none has
 * come for a second (three seconds while some are missing); at most until {@code
 * spark.scheduler.maxRegisteredResourcesWaitingTime} after its start.
 */
final class ExecutorArrival {
  private static final Duration QUIET = Duration.ofSeconds(1);
  private static final int PATIENCE = 3; // times as quiet, while some are missing
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final String LONGEST = "spark.scheduler.maxRegisteredResourcesWaitingTime";
  private static final String DYNAMIC = "spark.dynamicAllocation.";

  private final SparkContext context;
  private final GrantedExecutors granted;
  private boolean waited;

  ExecutorArrival(SparkContext context, GrantedExecutors granted) {
    this.context = context;
    this.granted = granted;
  }

  /** Executors that are there, at least 1. */
  synchronized int count() {
    if (!waited) {
      await(context.conf());
      waited = true;
    }
    return Math.max(1, present().size());
  }

  /** Executors that {@link #count} has still to wait for, if their number is known. */
  synchronized OptionalInt expected() {
    int asked = asked(context.conf());
    boolean later = asked == 0 && context.conf().getBoolean(DYNAMIC + "enabled", false);
    if (waited || later) {
      return OptionalInt.empty();
    }
    return asked > 0 ? OptionalInt.of(asked) : granted.count();
  }

  private List<ExecutorSummary> present() {
    return CollectionConverters.asJava(context.statusStore().executorList(true)).stream()
        .filter(executor -> !executor.id().equals("driver"))
        .toList();
  }

  private void await(SparkConf conf) {
    int asked = asked(conf);
    if (asked == 0 && conf.getBoolean(DYNAMIC + "enabled", false)) {
      return; // they come when tasks wait for them
    }
    long end = context.startTime() + conf.getTimeAsMs(LONGEST, "30s");
    while (!isComplete(asked) && !context.isStopped() && System.currentTimeMillis() < end) {
      try {
        Thread.sleep(PAUSE.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private boolean isComplete(int asked) {
    List<Long> arrived = present().stream().map(e -> e.addTime().getTime()).toList();
    return isComplete(asked, granted.count(), arrived, System.currentTimeMillis());
  }

  /**
   * Whether no more executors are waited for.
   *
   * @param asked executors that the application asks for; 0 if that is open
   * @param granted executors that it was given so far, if that is known
   * @param arrived when each executor came, in milliseconds
   * @param now in milliseconds
   */
  static boolean isComplete(int asked, OptionalInt granted, List<Long> arrived, long now) {
    int expected = asked > 0 ? asked : granted.orElse(0);
    if (expected > 0 && arrived.size() >= expected) {
      return true;
    }
    long last = arrived.stream().mapToLong(time -> time).max().orElse(Long.MAX_VALUE);
    return last <= now - QUIET.toMillis() * (expected > 0 ? PATIENCE : 1);
  }

  /** Executors that the application asks for when it starts; 0 if that is open. */
  static int asked(SparkConf conf) {
    int instances = conf.getInt("spark.executor.instances", 0);
    if (conf.getBoolean(DYNAMIC + "enabled", false)) {
      int least = conf.getInt(DYNAMIC + "minExecutors", 0);
      int initial = conf.getInt(DYNAMIC + "initialExecutors", least);
      return Math.max(instances, Math.max(least, initial));
    }
    int cores = conf.getInt("spark.executor.cores", 0);
    return instances == 0 && cores > 0 ? conf.getInt("spark.cores.max", 0) / cores : instances;
  }
}
