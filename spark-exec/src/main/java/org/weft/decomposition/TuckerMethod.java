package org.weft.decomposition;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.weft.decomposition.OrthogonalIteration.Start;
import org.weft.error.WeftException;
import org.weft.tensor.ValueType;

/**
 * Which method finds a Tucker model.
 *
 * @param nonnegative whether core and factors are nonnegative
 * @param init what it starts from; empty for what mostly is best
 */
public record TuckerMethod(boolean nonnegative, Optional<Start> init) {
  /** By orthogonal iteration from samples. */
  public static final TuckerMethod DEFAULT = new TuckerMethod(false, Optional.empty());

  /** This one, from the start that a text names. */
  public TuckerMethod from(String start) {
    List<String> names = Arrays.stream(Start.values()).map(TuckerMethod::text).toList();
    int at = names.indexOf(start.toLowerCase(Locale.ROOT));
    Setting.require(
        "tucker", at >= 0, "an init among " + String.join(", ", names), "'" + start + "'");
    return new TuckerMethod(nonnegative, Optional.of(Start.values()[at]));
  }

  /** What it starts from. */
  public Start start() {
    return init.orElse(nonnegative ? Start.RANDOM : Start.STHOSVD);
  }

  /** The start as summaries call it. */
  public String startName() {
    return text(start());
  }

  private static String text(Start start) {
    return start.name().toLowerCase(Locale.ROOT);
  }

  /** Whether it can start from there. */
  public boolean isPossible() {
    return !nonnegative || start() == Start.RANDOM;
  }

  /**
   * The method for a model of these ranks.
   *
   * @throws WeftException {@code USAGE} if it cannot start as it is to
   */
  public Resumable<OrthogonalIteration.Model> of(
      Ranks ranks, int iterations, double tolerance, long seed, ValueType type) {
    Setting.require("tucker", isPossible(), "init random for nonnegative models", startName());
    return nonnegative
        ? new NonnegativeTucker(ranks, iterations, tolerance, seed, type)
        : new OrthogonalIteration(ranks, start(), iterations, tolerance, seed, type);
  }
}
