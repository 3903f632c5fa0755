package org.weft.planner;

import java.io.Serializable;

/**
 * Why a decomposition keeps the forms of its tensor that it keeps.
 *
 * @param chosen {@link Forms#ONE} or {@link Forms#ALL}
 * @param reason of the choice
 * @param root the mode that the one form is rooted at
 * @param one predicted costs with one form
 * @param all predicted costs with a form for each mode
 */
public record FormsChoice(Forms chosen, String reason, int root, PlanCosts one, PlanCosts all)
    implements Serializable {
  /**
   * Share of the time with all forms that one form has to stay below. What it saves is packing, of
   * which predictions are rough; what it costs is iterations, which many jobs have more of.
   */
  private static final double WORTH_ONE = 0.5;

  /**
   * The choice.
   *
   * @param asked what the user wants
   * @param memoryBytes of an executor
   */
  static FormsChoice of(Forms asked, int root, PlanCosts one, PlanCosts all, double memoryBytes) {
    if (asked != Forms.AUTO) {
      return new FormsChoice(asked, "as asked for", root, one, all);
    }
    if (all.peakMemoryBytesPerExecutor() > memoryBytes) {
      boolean less = one.peakMemoryBytesPerExecutor() < all.peakMemoryBytesPerExecutor();
      return less
          ? new FormsChoice(
              Forms.ONE, "a form for each mode does not fit the memory", root, one, all)
          : new FormsChoice(Forms.ALL, "one form takes as much memory", root, one, all);
    }
    return one.seconds() < WORTH_ONE * all.seconds()
        ? new FormsChoice(Forms.ONE, "predicted to take less time", root, one, all)
        : new FormsChoice(Forms.ALL, "they fit the memory", root, one, all);
  }
}
