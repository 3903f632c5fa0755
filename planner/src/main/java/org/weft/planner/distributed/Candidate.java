package org.weft.planner.distributed;

import java.util.Map;
import java.util.Optional;
import org.weft.compiler.algebra.Operator;

/**
 * A way to run the statement.
 *
 * @param reducer of the merge, if parts compute the same cells
 * @param arranging of the result, which does not lie by ranges of its first mode otherwise
 */
record Candidate(
    LabelGrid grid,
    Optional<Operator> reducer,
    Map<String, Route> routes,
    Map<String, Costs> exchanges,
    Costs kernel,
    Optional<Costs> arranging,
    Costs merge) {
  double seconds() {
    return exchanges.values().stream().mapToDouble(Costs::seconds).sum()
        + kernel.seconds()
        + arranging.map(Costs::seconds).orElse(0.0)
        + merge.seconds();
  }

  double memoryBytes() {
    return Math.max(
        Math.max(kernel.memoryBytes(), arranging.map(Costs::memoryBytes).orElse(0.0)),
        merge.memoryBytes());
  }

  double bytes() {
    return exchanges.values().stream().mapToDouble(Costs::bytes).sum()
        + arranging.map(Costs::bytes).orElse(0.0)
        + merge.bytes();
  }

  DistributedPlan.Alternative described() {
    String how =
        routes.entrySet().stream()
            .map(route -> route.getKey() + " " + route.getValue())
            .sorted()
            .reduce((a, b) -> a + ", " + b)
            .orElse("no operands");
    return new DistributedPlan.Alternative(
        (grid.axes().isEmpty() ? "undivided" : "along " + grid.described()) + " (" + how + ")",
        bytes(),
        memoryBytes(),
        seconds());
  }
}
