package org.weft.planner;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.planner.job.ModeGroup;

/**
 * Why a decomposition makes MTTKRPs of products that several modes share, or does not.
 *
 * @param shares whether it does
 * @param reason of the choice
 * @param groups of the modes: those of the cheapest tree; empty if no products fit
 * @param none predicted costs if each MTTKRP reads all entries
 * @param tree predicted costs with the groups; null without groups
 */
public record TreeChoice(
    boolean shares, String reason, List<ModeGroup> groups, PlanCosts none, @Nullable PlanCosts tree)
    implements Serializable {
  /** Share of the seconds of an iteration's kernels that a tree has to save. */
  private static final double WORTH_A_TREE = 0.1;

  public TreeChoice {
    groups = new ArrayList<>(groups);
  }

  /** Entries are read for each MTTKRP, whatever a tree would cost. */
  static TreeChoice none(String reason, PlanCosts none) {
    return new TreeChoice(false, reason, List.of(), none, null);
  }

  /**
   * The choice between the cheapest tree and none.
   *
   * @param idle seconds of an iteration that both have beside the kernels
   * @param memoryBytes of an executor
   */
  static TreeChoice of(
      DimensionTree asked,
      List<ModeGroup> groups,
      PlanCosts none,
      PlanCosts tree,
      double idle,
      double memoryBytes) {
    double before = none.iterationSeconds() - idle;
    double saved = none.iterationSeconds() - tree.iterationSeconds();
    boolean fits = tree.peakMemoryBytesPerExecutor() <= memoryBytes;
    boolean clear = saved >= WORTH_A_TREE * before && tree.seconds() < none.seconds();
    String reason =
        !fits
            ? "the products do not fit the memory"
            : asked == DimensionTree.ON
                ? "as asked for"
                : clear ? "predicted to take less time" : "predicted to save little time or none";
    return new TreeChoice(fits && (clear || asked == DimensionTree.ON), reason, groups, none, tree);
  }

  /** The modes of each group, for people. */
  String text() {
    return groups.stream().map(ModeGroup::toString).collect(Collectors.joining(", "));
  }
}
