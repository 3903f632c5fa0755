package org.weft.jobs.process;

import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * What libraries log in a process without Spark, as {@code log4j2.properties} has it: errors only,
 * on standard error. Log4j takes longer to start than a small job.
 */
public final class QuietLogging implements SLF4JServiceProvider {
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter context = new NOPMDCAdapter();

  /** For SLF4J. */
  public QuietLogging() {}

  @Override
  public ILoggerFactory getLoggerFactory() {
    return Errors::new;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return context;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {}

  /** Shows errors. */
  private static final class Errors extends LegacyAbstractLogger implements Logger {
    private static final long serialVersionUID = 1L;

    Errors(String name) {
      this.name = name;
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    @SuppressWarnings("SystemOut")
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String message,
        Object @Nullable [] arguments,
        @Nullable Throwable failure) {
      String text = MessageFormatter.basicArrayFormat(message, arguments);
      String simple = name.substring(name.lastIndexOf('.') + 1);
      LocalTime now = LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS);
      System.err.printf(Locale.ROOT, "%tT %s %s: %s%n", now, level, simple, text);
      if (failure != null) {
        failure.printStackTrace();
      }
    }

    @Override
    public boolean isErrorEnabled() {
      return true;
    }

    @Override
    public boolean isWarnEnabled() {
      return false;
    }

    @Override
    public boolean isInfoEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return false;
    }

    @Override
    public boolean isTraceEnabled() {
      return false;
    }
  }
}
