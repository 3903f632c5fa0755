package org.weft.planner.tune;

import java.util.List;
import java.util.Locale;
import org.weft.text.Counts;
import org.weft.text.TextTable;

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
   * @param timings of its runs
   */
  public record Trial(Variant variant, boolean untuned, double predictedSeconds, Timings timings) {
    public double medianSeconds() {
      return timings.median();
    }
  }

  /**
   * What is worth keeping: of the variants whose upper quartile is below the fastest run without
   * tuning the one of least median, or the one without tuning if there is none.
   */
  public Trial winner() {
    Trial reference = untuned();
    return trials.stream()
        .filter(trial -> trial.timings().clearlyFasterThan(reference.timings()))
        .findFirst()
        .orElse(reference);
  }

  /** The numbers of variants, in words; every count of them is this one. */
  static String counts(long enumerated, long illegal, long pruned) {
    return String.format(
        Locale.ROOT,
        "%s: %d illegal, %d pruned by the cost model",
        Counts.plain(enumerated, "variant"),
        illegal,
        pruned);
  }

  /** How much faster the winner is, and how noisy the machine was: one line. */
  public String verdict() {
    Timings reference = untuned().timings();
    String noise =
        String.format(
            Locale.ROOT,
            "%s without tuning: fastest %s ms, median %s ms, spread %.0f %%",
            Counts.plain(reference.runs(), "run"),
            millis(reference.fastest()),
            millis(reference.median()),
            100 * reference.spread());
    if (winner().untuned()) {
      return "no variant is clearly faster than the one without tuning (" + noise + ")";
    }
    Timings best = winner().timings();
    return String.format(
        Locale.ROOT,
        "%s is %.2f times as fast: %s, upper quartile %s ms (%s)",
        winner().variant(),
        reference.median() / best.median(),
        Counts.plain(best.runs(), "run"),
        millis(best.upperQuartile()),
        noise);
  }

  /** How the statement runs without tuning. */
  public Trial untuned() {
    return trials.stream().filter(Trial::untuned).findFirst().orElseThrow();
  }

  /** One line per variant, the fastest first. */
  public String table() {
    StringBuilder text = new StringBuilder();
    text.append(counts(enumerated, illegal, pruned));
    text.append(String.format(Locale.ROOT, ", %d timed and verified%n", trials.size()));
    TextTable table =
        new TextTable(">>>>>>><")
            .row(
                "",
                "median ms",
                "fastest ms",
                "quartiles ms",
                "model ms",
                "runs",
                "speed-up",
                "variant");
    for (int i = 0; i < trials.size(); i++) {
      Trial t = trials.get(i);
      table.row(
          Integer.toString(i + 1),
          millis(t.medianSeconds()),
          millis(t.timings().fastest()),
          millis(t.timings().lowerQuartile()) + ".." + millis(t.timings().upperQuartile()),
          millis(t.predictedSeconds()),
          Integer.toString(t.timings().runs()),
          String.format(Locale.ROOT, "%.2f", untuned().medianSeconds() / t.medianSeconds()),
          t.variant() + (t.untuned() ? "  (without tuning)" : ""));
    }
    return text.append(table.text()).toString();
  }

  private static String millis(double seconds) {
    return String.format(Locale.ROOT, "%.4f", seconds * 1e3);
  }
}
