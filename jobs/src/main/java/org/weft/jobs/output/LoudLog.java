package org.weft.jobs.output;

import java.util.HashMap;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.LoggerConfig;

/** All that libraries log, from level INFO, while a command runs; then their log is as before. */
public final class LoudLog implements AutoCloseable {
  private final LoggerContext context = LoggerContext.getContext(false);
  private final Map<LoggerConfig, Level> before = new HashMap<>();

  public LoudLog() {
    for (LoggerConfig logger : context.getConfiguration().getLoggers().values()) {
      before.put(logger, logger.getLevel());
    }
    Configurator.setAllLevels("", Level.INFO);
  }

  @Override
  public void close() {
    before.forEach(LoggerConfig::setLevel);
    context.updateLoggers();
  }
}
