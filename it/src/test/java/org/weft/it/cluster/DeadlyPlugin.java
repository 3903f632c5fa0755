package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Kills an executor a while after it has begun with a task. The file that {@code
 * spark.weft.test.order} names orders it: what the description of the job contains, a colon, and
 * milliseconds. The first executor with such a task takes the order.
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
    }

    @Override
    public void onTaskStart() {
      String job = TaskContext.get().getLocalProperty("spark.job.description");
      try {
        String[] ordered = Files.readString(order).split(":");
        if (job != null && job.contains(ordered[0])) {
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
