package org.weft.jobs;

import java.io.PrintStream;
import java.util.Locale;
import org.weft.engine.ProgressListener;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * What a run says: results on standard output; progress, notes and errors on standard error.
 * Progress is one line that redraws itself on a terminal, and plain lines otherwise. A launcher
 * that knows says so with {@code -Dweft.terminal=true|false}.
 */
final class Console {
  private static final long MEBIBYTE = 1 << 20;

  private static final int BAR = 24;

  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;
  private boolean quiet;
  private boolean verbose;
  private boolean barShown;

  Console(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
    this.terminal =
        Boolean.parseBoolean(
            System.getProperty("weft.terminal", Boolean.toString(System.console() != null)));
  }

  void setVerbosity(boolean quietAsked, boolean verboseAsked) {
    quiet = quietAsked;
    verbose = verboseAsked;
  }

  /** A line of results, formatted as by {@link String#format}. */
  void result(String format, Object... arguments) {
    clearBar();
    out.println(String.format(Locale.ROOT, format, arguments));
  }

  /** Results that are text already. */
  void text(String text) {
    clearBar();
    out.print(text);
    out.flush();
  }

  /** A line of a job's report on standard output, unless {@code -q}. */
  void report(String format, Object... arguments) {
    if (!quiet) {
      result(format, arguments);
    }
  }

  /** A line about the run, unless {@code -q}. */
  void note(String format, Object... arguments) {
    if (!quiet) {
      clearBar();
      err.println(String.format(Locale.ROOT, format, arguments));
    }
  }

  /** Part {@code done} of {@code total} begins. */
  void step(String description, int done, int total) {
    if (quiet) {
      return;
    }
    if (!terminal) {
      err.printf(Locale.ROOT, "[%d/%d] %s%n", Math.min(done + 1, total), total, description);
      return;
    }
    int filled = total == 0 ? 0 : Math.min(BAR, BAR * done / total);
    err.printf("\r\033[K[%s%s] %s", "=".repeat(filled), " ".repeat(BAR - filled), description);
    err.flush();
    barShown = true;
  }

  /** Removes the progress bar. */
  void clearBar() {
    if (barShown) {
      err.print("\r\033[K");
      err.flush();
      barShown = false;
    }
  }

  /** Progress of a job: steps as they begin, and one line of results per iteration. */
  ProgressListener progress() {
    return new ProgressListener() {
      @Override
      public void step(String description, int done, int total) {
        Console.this.step(description, done, total);
      }

      @Override
      public void iteration(int n, double fit, double deltaFit, double seconds) {
        if (!quiet) {
          result("iteration %3d   fit %.6f   change %+.2e   %.3f s", n, fit, deltaFit, seconds);
          if (terminal) {
            Console.this.step("iteration " + (n + 1), n, n + 1);
          }
        }
      }
    };
  }

  /** Reports wrong usage. */
  int usageError(String message) {
    clearBar();
    err.println("weft: " + ErrorCode.USAGE.label() + ": " + message);
    return ErrorCode.USAGE.kind().exitStatus();
  }

  /** Reports what ended a run, in one line, and under {@code -v} with its stack trace. */
  int failed(Throwable failure) {
    clearBar();
    WeftException known = known(failure);
    if (verbose) {
      failure.printStackTrace(err);
    }
    if (known != null) {
      err.println("weft: " + known.code().label() + ": " + oneLine(known.getMessage()));
      return known.code().kind().exitStatus();
    }
    ErrorCode code = outOfMemory(failure) ? ErrorCode.OUT_OF_MEMORY : ErrorCode.INTERNAL;
    String advice =
        code == ErrorCode.OUT_OF_MEMORY
            ? "; the Java heap has "
                + Runtime.getRuntime().maxMemory() / MEBIBYTE
                + " MiB: give it more (WEFT_JAVA_OPTS=-Xmx8g, or spark.driver.memory), which leaves"
                + " less to packed tensors, or the job more partitions"
            : "; run again with -v for the stack trace";
    err.println(
        "weft: "
            + code.label()
            + ": "
            + failure.getClass().getSimpleName()
            + ": "
            + oneLine(failure.getMessage())
            + advice);
    return code.kind().exitStatus();
  }

  private static @org.jspecify.annotations.Nullable WeftException known(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof WeftException weft) {
        return weft;
      }
    }
    return null;
  }

  private static boolean outOfMemory(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof OutOfMemoryError) {
        return true;
      }
    }
    return false;
  }

  /** Messages of the language show source lines and a caret; those keep their line breaks. */
  private static String oneLine(@org.jspecify.annotations.Nullable String message) {
    if (message == null) {
      return "no details";
    }
    return message.contains("^") ? message : message.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
