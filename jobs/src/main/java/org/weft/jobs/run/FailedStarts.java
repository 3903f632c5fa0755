package org.weft.jobs.run;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Counts, for each worker of a standalone cluster, the executors in a row that ended before they
 * reached the driver. Spark says of them in its log only, and starts others without an end.
 */
final class FailedStarts {
  /** The most that a worker may fail in a row: the master gives up after 10 of some kinds. */
  static final int MOST = 20;

  private static final Pattern GRANTED =
      Pattern.compile("Granted executor ID \\S+/(\\S+) on hostPort (\\S+) with .*");
  private static final Pattern REMOVED =
      Pattern.compile("(?s)Executor (\\S+/(\\S+)) removed: *(.*)");

  /** What Spark says of a process that has run. */
  private static final String EXITED = "exited with code";

  /** Executors that run or start, with their workers. */
  private final Map<String, String> workers = new HashMap<>();

  private final Map<String, Integer> failures = new HashMap<>();
  private final Set<String> reached = new HashSet<>();
  private @Nullable String last;

  /** Takes a line of the log of Spark's scheduler; returns a worker that fails again and again. */
  @Nullable String read(String line) {
    Matcher granted = GRANTED.matcher(line);
    if (granted.matches()) {
      workers.put(granted.group(1), granted.group(2));
      return null;
    }
    Matcher removed = REMOVED.matcher(line);
    if (!removed.matches()) {
      return null;
    }
    String worker = workers.remove(removed.group(2));
    if (worker == null || reached.contains(removed.group(2))) {
      return null;
    }
    String why = removed.group(3).strip();
    last =
        removed.group(1)
            + " on worker "
            + worker
            + (why.isEmpty() ? "" : ": " + why.lines().findFirst().orElse(why))
            + (why.contains(EXITED) ? " (its stderr is in the work folder of the worker)" : "");
    return failures.merge(worker, 1, Integer::sum) >= MOST ? worker : null;
  }

  /** An executor has reached the driver. */
  void reached(String executor) {
    reached.add(executor);
    String worker = workers.get(executor);
    if (worker != null) {
      failures.remove(worker);
    }
  }

  /**
   * Whether each worker that starts an executor, or started the last one, fails again and again.
   */
  boolean isHopeless() {
    return !failures.isEmpty()
        && failures.values().stream().allMatch(count -> count >= MOST)
        && workers.values().stream().allMatch(worker -> failures.getOrDefault(worker, 0) >= MOST);
  }

  /** Executors that run or start; empty if the log names none, or if one has failed to start. */
  OptionalInt granted() {
    return last == null && !workers.isEmpty()
        ? OptionalInt.of(workers.size())
        : OptionalInt.empty();
  }

  /** What is known of the last executor that failed to start, as a part of a sentence, or "". */
  String last() {
    return last == null ? "" : "; the last executor that ended as it started was " + last;
  }
}
