package org.weft.planner.tune;

import java.util.List;
import java.util.Locale;

/**
 * What a search found.
 *
 * @param expression the statement
 * @param trials the variants that were timed, the fastest first; all gave the same answer
 * @param enumerated variants in the state space
 * @param illegal variants that the compiler refused
 * @param pruned legal variants that the cost model left out
 */
public record TuningResult(
    String expression, List<Trial> trials, long enumerated, long illegal, long pruned) {
  public TuningResult {
    trials = List.copyOf(trials);
  }

  /**
   * One timed variant.
   *
   * @param untuned whether this is how the statement runs without tuning
   * @param predictedSeconds by the cost model
   * @param medianSeconds of the timed runs
   * @param bestSeconds of the timed runs
   */
  public record Trial(
      Variant variant,
      boolean untuned,
      double predictedSeconds,
      double medianSeconds,
      double bestSeconds,
      int runs) {}

  public Trial winner() {
    return trials.get(0);
  }

  /** How the statement runs without tuning. */
  public Trial untuned() {
    return trials.stream().filter(Trial::untuned).findFirst().orElseThrow();
  }

  /** One line per variant, the fastest first. */
  public String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%d variants: %d illegal, %d pruned by the cost model, %d timed and verified%n",
            enumerated,
            illegal,
            pruned,
            trials.size()));
    String row = "%4s %11s %11s %11s %6s %8s  %s%n";
    text.append(
        String.format(
            Locale.ROOT,
            row,
            "",
            "median ms",
            "best ms",
            "model ms",
            "runs",
            "speed-up",
            "variant"));
    for (int i = 0; i < trials.size(); i++) {
      Trial t = trials.get(i);
      text.append(
          String.format(
              Locale.ROOT,
              row,
              i + 1,
              millis(t.medianSeconds()),
              millis(t.bestSeconds()),
              millis(t.predictedSeconds()),
              t.runs(),
              String.format(Locale.ROOT, "%.2f", untuned().medianSeconds() / t.medianSeconds()),
              t.variant() + (t.untuned() ? "  (without tuning)" : "")));
    }
    return text.toString();
  }

  private static String millis(double seconds) {
    return String.format(Locale.ROOT, "%.4f", seconds * 1e3);
  }
}
