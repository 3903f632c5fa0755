package org.weft.planner;

import java.io.Serializable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why a decomposition keeps the forms of its tensor that it keeps.
 *
 * @param chosen {@link Forms#ONE}, {@link Forms#ALL} or {@link Forms#GRID}
 * @param reason of the choice
 * @param root the mode that the one form is rooted at
 * @param one predicted costs with one form
 * @param all predicted costs with a form for each mode, cut along that mode
 * @param tiled predicted costs with a form for each mode of the tiles of a grid; null without one
 */
public record FormsChoice(
    Forms chosen, String reason, int root, PlanCosts one, PlanCosts all, @Nullable PlanCosts tiled)
    implements Serializable {
  /**
   * Share of the time with all forms that one form has to stay below: predictions are rough. One
   * form saves shuffling, packing and memory; its iterations take longer.
   */
  private static final double WORTH_ONE = 0.85;

  /**
   * The choice.
   *
   * @param asked what the user wants
   * @param memoryBytes of an executor
   */
  static FormsChoice of(
      Forms asked,
      int root,
      PlanCosts one,
      PlanCosts all,
      @Nullable PlanCosts tiled,
      double memoryBytes) {
    if (asked == Forms.GRID && tiled == null) {
      return new FormsChoice(Forms.ALL, "there are no tiles to share", root, one, all, null);
    }
    if (asked != Forms.AUTO) {
      return new FormsChoice(asked, "as asked for", root, one, all, tiled);
    }
    PlanCosts costs = tiled != null && tiled.seconds() < all.seconds() ? tiled : all;
    Forms chosen = costs == all ? Forms.ALL : Forms.GRID;
    String reason =
        (costs == all ? "they fit the memory" : "predicted to take less time than without tiles")
            + (one.seconds() < costs.seconds() ? "; one takes hardly less time" : "");
    if (costs.peakMemoryBytesPerExecutor() > memoryBytes) {
      boolean less = one.peakMemoryBytesPerExecutor() < costs.peakMemoryBytesPerExecutor();
      chosen = less ? Forms.ONE : chosen;
      reason =
          less ? "a form for each mode does not fit the memory" : "one form takes as much memory";
    } else if (one.seconds() < WORTH_ONE * costs.seconds()) {
      chosen = Forms.ONE;
      reason = "predicted to take less time";
    }
    return new FormsChoice(chosen, reason, root, one, all, tiled);
  }

  /** Predicted costs of what is chosen. */
  PlanCosts costs() {
    return switch (chosen) {
      case ONE -> one;
      case GRID -> Objects.requireNonNull(tiled);
      default -> all;
    };
  }
}
