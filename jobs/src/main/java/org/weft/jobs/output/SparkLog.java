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
 * Listens to what Spark's threads log: a full heap, which they log and survive for minutes, ends
 * the process; and nothing is shown of a process that is ending.
 */
public final class SparkLog extends AbstractFilter {
  private static boolean listening;

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
    }
  }

  private Result judge(@Nullable Throwable thrown) {
    if (console.isEnded()) {
      return Result.DENY;
    }
    return thrown != null && console.isFullHeap(thrown) ? Result.DENY : Result.NEUTRAL;
  }

  @Override
  public Result filter(
      Logger logger, Level level, Marker marker, Message message, @Nullable Throwable thrown) {
    return judge(thrown);
  }

  @Override
  public Result filter(
      Logger logger, Level level, Marker marker, Object message, @Nullable Throwable thrown) {
    return judge(thrown);
  }

  @Override
  public Result filter(
      Logger logger, Level level, Marker marker, String message, Object... parameters) {
    return judge(null);
  }
}
