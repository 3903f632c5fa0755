package org.weft.jobs.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.output.Console;
import org.weft.text.Counts;

/**
 * What several starts of a method end with, one after the other: the best result is kept, and of
 * all others only what a summary says of them.
 *
 * @param <R> a result
 */
public final class BestStart<R> {
  private final Console console;
  private final int planned;
  private final List<Map<String, Object>> all = new ArrayList<>();
  private double most = Double.NEGATIVE_INFINITY;
  private String about = "";
  private String kept = "";
  private @Nullable R best;
  private @Nullable WeftException lost;

  /**
   * Before any start.
   *
   * @param planned number of starts
   */
  public BestStart(Console console, int planned) {
    this.console = console;
    this.planned = planned;
  }

  /**
   * Makes the next start. Where several are planned, one whose numbers do not stay finite is left
   * out: others may do better.
   *
   * @param what differs from the other starts
   * @param key the same for the summary
   * @param start adds what it ends with
   */
  public void attempt(String what, Map<String, Object> key, Runnable start) {
    about = what;
    if (planned > 1) {
      console.report("start %d of %d, %s", all.size() + 1, planned, what);
    }
    try {
      start.run();
    } catch (WeftException e) {
      if (planned == 1 || e.code() != ErrorCode.NONFINITE_VALUE) {
        throw e;
      }
      console.note("left out, %s: %s", what, "" + e.getMessage());
      lost = lost == null ? e : lost;
      all.add(key);
    }
  }

  /** Whether a result of this score would be the best so far; of equal ones the first is. */
  public boolean isBetter(double score) {
    return best == null || score > most;
  }

  /**
   * A start has ended.
   *
   * @param score is more for a better result
   * @param outcome for the summary, with its fit
   */
  public void add(R result, double score, Map<String, Object> outcome) {
    if (isBetter(score)) {
      best = result;
      most = score;
      kept = about;
    }
    all.add(outcome);
  }

  /**
   * All have ended: says what with, if there are several.
   *
   * @throws WeftException {@code NONFINITE_VALUE} if all were left out
   */
  public void end(String measure) {
    if (best == null && lost != null) {
      throw lost;
    }
    if (planned > 1) {
      String fits =
          all.stream()
              .map(
                  outcome ->
                      outcome.get("fit") instanceof Double fit
                          ? String.format(Locale.ROOT, "%.6g", fit)
                          : "none")
              .collect(Collectors.joining(", "));
      console.report(
          "%s, %s %s; the best: %s", Counts.plain(planned, "start"), measure, fits, kept);
    }
  }

  public R best() {
    return Objects.requireNonNull(best, "no start has ended");
  }

  /** What a summary says of each start; one that was left out has no fit. */
  public List<Map<String, Object>> all() {
    return all;
  }
}
