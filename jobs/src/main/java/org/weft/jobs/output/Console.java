package org.weft.jobs.output;

import java.io.PrintStream;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.engine.ProgressListener;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.Failures;
import org.weft.storage.file.OutputCommit;

/**
 * What a run says: results on standard output; progress, notes and errors on standard error.
 * Progress is one line that redraws itself on a terminal, and plain lines otherwise. A launcher
 * that knows says so with {@code -Dweft.terminal=true|false}.
 */
public final class Console {
  private static final long MEBIBYTE = 1 << 20;

  private static final int BAR = 24;

  private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f&&[^\\t\\n]]");

  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;
  private boolean quiet;
  private boolean verbose;
  private boolean barShown;
  private volatile boolean ended;
  private volatile @Nullable Ending ending;

  public Console(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
    this.terminal =
        Boolean.parseBoolean(
            System.getProperty("weft.terminal", Boolean.toString(System.console() != null)));
  }

  public void setVerbosity(boolean quietAsked, boolean verboseAsked) {
    quiet = quietAsked;
    verbose = verboseAsked;
  }

  /** A line of results, formatted as by {@link String#format}. */
  public void result(String format, Object... arguments) {
    if (ended) {
      return;
    }
    clearBar();
    out.println(String.format(Locale.ROOT, format, arguments));
  }

  /** Results that are text already. */
  public void text(String text) {
    if (ended) {
      return;
    }
    clearBar();
    out.print(text);
    out.flush();
  }

  /** A line of a job's report on standard output, unless {@code -q}. */
  public void report(String format, Object... arguments) {
    if (!quiet) {
      result(format, arguments);
    }
  }

  /** A line about the run, unless {@code -q}. */
  public void note(String format, Object... arguments) {
    if (!quiet && !ended) {
      clearBar();
      err.println(String.format(Locale.ROOT, format, arguments));
    }
  }

  /**
   * Part {@code done}, from 0, of {@code total} begins; the last has ended if they are equal. A
   * part that is the only one has no number.
   */
  public void step(String description, int done, int total) {
    if (quiet || ended) {
      return;
    }
    if (!terminal) {
      if (done < total) {
        String number = total == 1 ? "" : "[" + (done + 1) + "/" + total + "] ";
        err.println(number + description);
      }
      return;
    }
    int filled = total == 0 ? 0 : Math.min(BAR, BAR * done / total);
    err.printf(
        Locale.ROOT,
        "\r\033[K[%s%s] %s",
        "=".repeat(filled),
        " ".repeat(BAR - filled),
        description);
    err.flush();
    barShown = true;
  }

  /** Removes the progress bar. */
  public void clearBar() {
    if (barShown) {
      err.print("\r\033[K");
      err.flush();
      barShown = false;
    }
  }

  /** Progress of a job: steps as they begin, and one line of results per iteration. */
  public ProgressListener progress() {
    return new ProgressListener() {
      @Override
      public void step(String description, int done, int total) {
        Console.this.step(description, done, total);
      }

      @Override
      public void iteration(int n, String measure, double value, double change, double seconds) {
        if (!quiet) {
          result(
              "iteration %3d   %s %.6f   change %+.2e   %.3f s",
              n, measure, value, change, seconds);
          if (terminal) {
            Console.this.step("iteration " + (n + 1), n, n + 1);
          }
        }
      }
    };
  }

  /**
   * Says why the process ends now, whatever its threads do. Nothing that they say later is shown:
   * it would be about work that was taken from under them.
   */
  synchronized void end(String why) {
    if (!ended) {
      clearBar();
      err.println("weft: " + why);
      ended = true;
    }
  }

  /** As {@link #failed}, once and as the last line, from whatever thread. */
  synchronized void endWith(Throwable failure) {
    failed(failure);
    ended = true;
  }

  /** Whether {@link #end} was called: the process is about to end. */
  boolean isEnded() {
    return ended;
  }

  /** Who is told of what ends the process. */
  public void setEnding(Ending watching) {
    ending = watching;
  }

  /** From now on there may be something to remove when the process ends. */
  public void watchSignals() {
    Ending watching = ending;
    if (watching != null) {
      watching.handleSignals();
    }
  }

  /** Spark has ended the application: says so and ends the process, whatever its threads do. */
  void applicationEnded(String reason) {
    endFor(Failures.applicationEnded(reason, null));
  }

  /** As above, where Spark is about to end the process for {@code failure}. */
  void sparkEnds(Throwable failure) {
    WeftException known = Failures.known(failure);
    if (known != null) {
      endFor(known);
    }
  }

  /** As above, where Spark waits for executors that will not come, or too long. */
  public void executorsLacking(String why) {
    endFor(new WeftException(ErrorCode.CLUSTER_UNAVAILABLE, why));
  }

  private void endFor(WeftException failure) {
    Ending watching = ending;
    if (watching != null) {
      endWith(failure);
      watching.end(failure);
    }
  }

  /** Spark starts in this process. */
  void sparkStarts() {
    Ending watching = ending;
    if (watching != null) {
      watching.keepStatusUnderSpark();
    }
  }

  /** Whether {@code failure} is a full heap, in which case the process ends. */
  boolean isFullHeap(Throwable failure) {
    Ending watching = ending;
    return watching != null && watching.noticed(failure);
  }

  /** What ended a thread that is not ours. */
  synchronized void uncaught(String thread, Throwable failure) {
    if (!ended) {
      clearBar();
      err.println("weft: thread " + thread + " ended: " + failure);
      if (verbose) {
        failure.printStackTrace(err);
      }
    }
  }

  /** Reports wrong usage. */
  public int usageError(String message) {
    clearBar();
    err.println("weft: " + ErrorCode.USAGE.label() + ": " + oneLine(message));
    return ErrorCode.USAGE.kind().exitStatus();
  }

  /** Reports what ended a run, in one line, and under {@code -v} with its stack trace. */
  public synchronized int failed(Throwable failure) {
    if (ended) {
      return ErrorCode.INTERRUPTED.kind().exitStatus();
    }
    clearBar();
    WeftException known = Failures.known(failure);
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

  private static boolean outOfMemory(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof OutOfMemoryError) {
        return true;
      }
    }
    return false;
  }

  /**
   * Messages of the language show source lines and a caret; those keep their line breaks. What
   * files hold must not steer a terminal.
   */
  private static String oneLine(@Nullable String message) {
    if (message == null) {
      return "no details";
    }
    String shown = OutputCommit.withoutHiddenNames(message);
    String line = shown.contains("^") ? shown : shown.strip().replaceAll("\\s*\\R\\s*", " ");
    return CONTROL.matcher(line).replaceAll("\ufffd");
  }
}
