package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Kills an executor a while after it has begun with a task, or with a piece of work of a task that
 * stands by. The file that {@code spark.weft.test.order} names orders it: what the description of
 * the job, or the name of the thread, contains, a colon, and milliseconds. The first executor with
 * such a task takes the order.
 */
public final class DeadlyPlugin implements SparkPlugin {
  public static final String ORDER = "spark.weft.test.order";

  /** What the order becomes when an executor takes it. */
  static Path taken(Path order) {
    return order.resolveSibling(order.getFileName() + ".taken");
  }

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {};
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Executor();
  }

  static final class Executor implements ExecutorPlugin {
    private Path order = Path.of("");

    @Override
    public void init(PluginContext context, Map<String, String> more) {
      order = Path.of(context.conf().get(ORDER));
      Thread watcher = new Thread(this::watch, "deadly plugin");
      watcher.setDaemon(true);
      watcher.start();
    }

    @Override
    public void onTaskStart() {
      obey(String.valueOf(TaskContext.get().getLocalProperty("spark.job.description")));
    }

    private void watch() {
      ThreadGroup all = Thread.currentThread().getThreadGroup();
      while (all.getParent() != null) {
        all = all.getParent();
      }
      while (true) {
        LockSupport.parkNanos(500_000);
        if (Files.exists(order)) {
          Thread[] running = new Thread[2 * all.activeCount()];
          int count = all.enumerate(running);
          Arrays.stream(running).limit(count).map(Thread::getName).forEach(this::obey);
        }
      }
    }

    private void obey(String job) {
      try {
        String[] ordered = Files.readString(order).split(":");
        boolean isWritten = ordered.length == 2; // else somebody is about to write it
        if (isWritten && job.contains(ordered[0])) {
          Files.move(order, taken(order), StandardCopyOption.ATOMIC_MOVE);
          long millis = Long.parseLong(ordered[1]);
          Thread killer = new Thread(() -> die(millis));
          killer.setDaemon(true);
          killer.start();
        }
      } catch (NoSuchFileException e) {
        return; // nothing is ordered, or another one was faster
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void die(long millis) {
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      Runtime.getRuntime().halt(137);
    }
  }
}
