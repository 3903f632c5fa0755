package org.weft.jobs.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
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
   * The next start begins.
   *
   * @param what differs from the other starts
   */
  public void begin(String what) {
    about = what;
    if (planned > 1) {
      console.report("start %d of %d, %s", all.size() + 1, planned, what);
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

  /** All have ended: says what with, if there are several. */
  public void end(String measure) {
    if (planned > 1) {
      String fits =
          all.stream()
              .map(outcome -> (double) Objects.requireNonNull(outcome.get("fit")))
              .map(fit -> String.format(Locale.ROOT, "%.6g", fit))
              .collect(Collectors.joining(", "));
      console.report(
          "%s, %s %s; the best: %s", Counts.plain(planned, "start"), measure, fits, kept);
    }
  }

  public R best() {
    return Objects.requireNonNull(best, "no start has ended");
  }

  /** What a summary says of each start. */
  public List<Map<String, Object>> all() {
    return all;
  }
}
