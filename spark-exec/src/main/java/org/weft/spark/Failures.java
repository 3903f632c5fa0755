package org.weft.spark;

import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.CancellationException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSError;
import org.apache.spark.SparkConf;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import scala.Tuple2;

/**
 * Finds the error of Weft in the exception that Spark throws for a failed job. A fault of the
 * system, such as a full disk, becomes the error of Weft that describes it.
 */
public final class Failures {
  private static final Pattern LEAST_HEAP =
      Pattern.compile("(?s).*INVALID_DRIVER_MEMORY.*|.*System memory \\d+ must be at least.*");

  /** One and a half times the 300 MiB that Spark sets aside for itself. */
  private static final long SPARKS_LEAST_HEAP_BYTES = 450L << 20;

  private static final Pattern LOST_MASTER =
      Pattern.compile(
          "(?s).*?(Master removed our application[^\\n]*|All masters are unresponsive[^\\n]*).*");
  private static final Pattern NO_MASTER =
      Pattern.compile("(?s).*?Could not parse Master URL: ([^\\n]*).*");
  private static final Pattern NO_THREADS =
      Pattern.compile("(?s).*Asked to run locally with (-?\\d+) threads.*");
  private static final Pattern FEW_CORES =
      Pattern.compile(
          "(?s).*cores per executor \\(=(\\d+)\\) has to be >= the number of cpus per task = (\\d+).*");
  private static final Pattern STOPPED =
      Pattern.compile(
          "(?s).*(SparkContext was shut down|stopped SparkContext|SparkContext has been shutdown"
              + "|RpcEnv already stopped).*");
  private static final Pattern CANCELLED =
      Pattern.compile("(?s).*(cancelled part of cancelled job group|Job \\d+ cancelled).*");

  /** A task failed for want of heap, or its executor ended with Spark's status for that. */
  private static final Pattern FULL_HEAP =
      Pattern.compile(
          "(?s).*due to stage failure: [^\\n]*(OutOfMemoryError|exited with code 52\\b).*");

  private static final Pattern EXECUTOR_LOST =
      Pattern.compile(
          "(?s).*due to stage failure: [^\\n]*((ExecutorLostFailure|TaskResultLost)[^\\n]*).*");

  /** What Spark says of a task's error. */
  private static final String STAGE_FAILURE = "due to stage failure";

  /** The class of Spark's error for a task that could not write a table's file. */
  private static final String TASK_WRITE_FAILED = "TASK_WRITE_FAILED";

  /** The host of the task that failed. */
  private static final Pattern TASK_PLACE =
      Pattern.compile("(?s).*due to stage failure: [^\\n]*\\((\\S+) executor \\S+\\):.*");

  /** What the system says where a local disk, or a limit of the process, fails files of Spark. */
  private static final Pattern LOCAL_FILE =
      Pattern.compile(
          "(?s).*(No space left on device|Disk quota exceeded|File too large|Read-only file system"
              + "|Input/output error|Too many open files).*");

  private Failures() {}

  /**
   * The {@link WeftException} that made a task fail; otherwise that of a fault that is nobody's
   * bug; otherwise {@code failure} itself if it is unchecked, or an error that carries it (Spark's
   * exceptions are checked but undeclared).
   */
  public static RuntimeException unwrap(Exception failure) {
    WeftException known = known(failure);
    if (known != null) {
      return known;
    }
    if (failure instanceof RuntimeException unchecked) {
      return unchecked;
    }
    return new WeftException(
        ErrorCode.INTERNAL,
        "a Spark job failed: " + firstLine(failure) + "; the executors' logs say more",
        failure);
  }

  /** The error that {@code failure} is, ours or a known fault of the surroundings; else null. */
  public static @Nullable WeftException known(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof WeftException weft) {
        return String.valueOf(failure.getMessage()).contains(STAGE_FAILURE) ? ofTask(weft) : weft;
      }
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      WeftException fault = fault(cause);
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  /** What a task says, with what only the driver knows: it has opened all inputs before. */
  private static WeftException ofTask(WeftException said) {
    return said.code() == ErrorCode.INPUT_NOT_FOUND
        ? new WeftException(
            said.code(),
            said.getMessage()
                + "; the driver has found it, and executors read it too: put it on HDFS or in a"
                + " folder that all machines share",
            said)
        : said;
  }

  private static @Nullable WeftException fault(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof FSError && cause.getCause() instanceof IOException io) {
      return FileAccess.unavailable("a file of this run", io);
    }
    IOException write = message.contains(TASK_WRITE_FAILED) ? ioException(cause) : null;
    if (write != null) {
      return FileAccess.unavailable("a file of this run", write);
    }
    Matcher file = LOCAL_FILE.matcher(message);
    if (file.matches()) {
      Matcher task = TASK_PLACE.matcher(message);
      return FileAccess.unavailable(
          task.matches()
              ? "a file of this run on " + task.group(1) + " (spark.local.dir, SPARK_LOCAL_DIRS)"
              : "a file of this run",
          new IOException(file.group(1), cause));
    }
    if (LEAST_HEAP.matcher(message).matches()) {
      return heapBelowSparks(cause);
    }
    WeftException read = ReadFault.of(message, cause);
    if (read != null) {
      return read;
    }
    WeftException port = PortFault.of(message, cause);
    if (port != null) {
      return port;
    }
    Matcher none = NO_MASTER.matcher(message);
    if (none.matches()) {
      return new WeftException(
          ErrorCode.USAGE,
          "expected a Spark master such as local[2], spark://host:7077 or yarn, found "
              + none.group(1),
          cause);
    }
    Matcher threads = NO_THREADS.matcher(message);
    if (threads.matches()) {
      return new WeftException(
          ErrorCode.USAGE,
          "expected a Spark master with at least 1 thread, such as local[2], found local["
              + threads.group(1)
              + "]",
          cause);
    }
    Matcher cores = FEW_CORES.matcher(message);
    if (cores.matches()) {
      return new WeftException(
          ErrorCode.USAGE,
          "expected at most the "
              + cores.group(1)
              + " cores of an executor for a task, found "
              + cores.group(2)
              + "; give fewer --threads (spark.task.cpus), or executors more cores: local["
              + cores.group(2)
              + "] or spark.executor.cores",
          cause);
    }
    Matcher master = LOST_MASTER.matcher(message);
    if (master.matches()) {
      return applicationEnded(master.group(1), cause);
    }
    WeftException executor = executorFault(message, cause);
    if (executor != null) {
      return executor;
    }
    if (STOPPED.matcher(message).matches()) {
      return new WeftException(
          ErrorCode.CLUSTER_UNAVAILABLE,
          "Spark was stopped while the job ran: the master is gone, or a user ended the application;"
              + " look at the logs of the master, and run again",
          cause);
    }
    if (cause instanceof CancellationException
        || cause instanceof InterruptedException
        || CANCELLED.matcher(message).matches()) {
      return new WeftException(
          ErrorCode.INTERRUPTED,
          "the job was cancelled (" + firstLine(cause) + "); run again",
          cause);
    }
    return null;
  }

  /** The error that the end of the application is. */
  public static WeftException applicationEnded(String reason, @Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.CLUSTER_UNAVAILABLE,
        reason.startsWith("All masters are unresponsive")
            ? "expected a Spark master at the address of --master (spark.master), found none that"
                + " answers; check host and port, or start the master, and run again"
            : "Spark ended the application: "
                + reason
                + "; the logs of master and workers say why, run again when they are well",
        cause);
  }

  private static @Nullable WeftException executorFault(String message, Throwable cause) {
    if (FULL_HEAP.matcher(message).matches()) {
      boolean here = message.contains(" executor driver)");
      return new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          (here
                  ? "tasks need more memory: give the process more (WEFT_JAVA_OPTS=-Xmx8g, or"
                      + " spark.driver.memory)"
                  : "tasks need more memory: give executors more (spark.executor.memory)")
              + ", or the job more partitions; Spark says: "
              + firstLine(cause),
          cause);
    }
    if (message.contains(STAGE_FAILURE)) {
      WeftException missing = MissingClass.of(message, cause);
      if (missing != null) {
        return missing;
      }
    }
    Matcher lost = EXECUTOR_LOST.matcher(message);
    return lost.matches()
        ? new WeftException(
            ErrorCode.CLUSTER_UNAVAILABLE,
            "executors or their results were lost again and again: "
                + lost.group(1)
                + "; the logs of the workers say why. Run again when they are well, with more memory"
                + " for executors (spark.executor.memory) or the driver (spark.driver.memory)",
            cause)
        : null;
  }

  private static @Nullable IOException ioException(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException io) {
        return io;
      }
    }
    return null;
  }

  private static WeftException heapBelowSparks(@Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.OUT_OF_MEMORY,
        "expected a Java heap of at least 450 MiB, which Spark needs, found "
            + (Runtime.getRuntime().maxMemory() >> 20)
            + " MiB: give it more (WEFT_JAVA_OPTS=-Xmx1g, or spark.driver.memory)",
        cause);
  }

  /**
   * Fails if Spark would refuse to start in this heap, which it says with a stack trace in its log.
   *
   * @throws WeftException {@code OUT_OF_MEMORY}
   */
  public static void requireHeapForSpark() {
    if (Runtime.getRuntime().maxMemory() < SPARKS_LEAST_HEAP_BYTES) {
      throw heapBelowSparks(null);
    }
  }

  /**
   * The error for what Spark throws as it starts: most is about a setting, which a message such as
   * {@code For input string: "two"} does not name.
   */
  public static RuntimeException ofStart(Exception failure, SparkConf conf) {
    boolean setting =
        failure instanceof IllegalArgumentException
            || failure instanceof ClassNotFoundException
            || failure.getClass() == Exception.class;
    if (!setting || known(failure) != null) {
      return unwrap(failure);
    }
    String said =
        failure instanceof UnresolvedAddressException
            ? "cannot resolve spark.driver.host or spark.driver.bindAddress"
            : firstLine(failure);
    String names =
        Stream.of(conf.getAll())
            .filter(entry -> said.contains("\"" + entry._2() + "\"") || said.equals(entry._2()))
            .map(Tuple2::_1)
            .filter(name -> !said.contains(name))
            .sorted()
            .collect(Collectors.joining(", "));
    return new WeftException(
        ErrorCode.USAGE,
        "Spark does not start with its settings: "
            + (failure instanceof ClassNotFoundException ? "found no class " : "")
            + said
            + (names.isEmpty() ? "" : " (" + names + ")")
            + "; correct the setting (--conf, WEFT_JAVA_OPTS=-Dspark.NAME=VALUE, or"
            + " spark-defaults.conf)",
        failure);
  }

  static String firstLine(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }
}
