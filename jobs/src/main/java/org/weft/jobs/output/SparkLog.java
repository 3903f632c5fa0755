package org.weft.jobs.output;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.filter.AbstractFilter;
import org.apache.logging.log4j.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * Listens to the log of Spark's threads. A full heap ends the process: Spark logs it and would go
 * on for minutes. The end of the application ends the process, too: its reason stands only in the
 * log, as do the executors that end before they reach the driver, and a port that is taken. While
 * the process ends, nothing of the log is shown.
 */
public final class SparkLog extends AbstractFilter {
  /** What {@code StandaloneSchedulerBackend} says before it stops the context. */
  private static final String APPLICATION_ENDED = "Application has been killed. Reason: ";

  /** What {@code SparkUI} says before it ends the process. */
  private static final String UI_PORT_TAKEN = "Failed to bind SparkUI";

  private static final String SPARK = "org.apache.spark.";

  private static final String SCHEDULER = SPARK + "scheduler.cluster.StandaloneSchedulerBackend";

  private static boolean listening;

  private static volatile @Nullable Scheduler scheduler;

  /** Who is told what Spark's scheduler says of executors. */
  public interface Scheduler {
    /** A line of the log. */
    void said(String line);

    /** Why executors ended, to add to why the application did, or "". */
    String whyEnded();
  }

  private final Console console;

  private SparkLog(Console console) {
    super(Filter.Result.NEUTRAL, Filter.Result.NEUTRAL);
    this.console = console;
  }

  /** Starts to listen, once in a process. */
  public static synchronized void listen(Console console) {
    if (!listening && LogManager.getContext(false) instanceof LoggerContext context) {
      SparkLog filter = new SparkLog(console);
      filter.start();
      context.addFilter(filter);
      listening = true;
      console.sparkStarts();
    }
  }

  /** Tells {@code follower} from now on, and nobody else. */
  public static void follow(Scheduler follower) {
    scheduler = follower;
  }

  private static boolean isFollowed(Logger logger, Level level) {
    return level == Level.INFO && scheduler != null && SCHEDULER.equals(logger.getName());
  }

  /** Whether it is about news, such as of an executor that ended, for a part that has stopped. */
  private static boolean isLate(Throwable thrown) {
    return String.valueOf(thrown.getMessage()).startsWith("Could not find CoarseGrainedScheduler");
  }

  private Result judge(
      Logger logger, Level level, @Nullable String said, @Nullable Throwable thrown) {
    Scheduler follower = scheduler;
    if (level == Level.ERROR && said != null && said.startsWith(APPLICATION_ENDED)) {
      console.applicationEnded(
          said.substring(APPLICATION_ENDED.length())
              + (follower == null ? "" : follower.whyEnded()));
    }
    if (level == Level.ERROR && thrown != null && UI_PORT_TAKEN.equals(said)) {
      console.sparkEnds(thrown);
    }
    boolean followed = isFollowed(logger, level);
    if (followed && said != null && follower != null) {
      follower.said(said);
    }
    if (console.isEnded() || thrown != null && (console.isFullHeap(thrown) || isLate(thrown))) {
      return Result.DENY;
    }
    // Whether warnings are of interest is asked first: those with a full heap are.
    boolean asks = said == null && thrown == null && (level == Level.WARN || followed);
    return asks && logger.getName().startsWith(SPARK) ? Result.ACCEPT : Result.NEUTRAL;
  }

  @Override
  public Result filter(
      Logger logger,
      Level level,
      @Nullable Marker marker,
      @Nullable Message message,
      @Nullable Throwable thrown) {
    String said =
        message == null
            ? null
            : level == Level.ERROR || isFollowed(logger, level)
                ? message.getFormattedMessage()
                : "";
    return judge(logger, level, said, thrown);
  }

  @Override
  public Result filter(
      Logger logger,
      Level level,
      @Nullable Marker marker,
      @Nullable Object message,
      @Nullable Throwable thrown) {
    return judge(logger, level, message == null ? null : message.toString(), thrown);
  }

  @Override
  public Result filter(
      Logger logger,
      Level level,
      @Nullable Marker marker,
      @Nullable String message,
      Object... parameters) {
    return judge(logger, level, message, null);
  }
}
