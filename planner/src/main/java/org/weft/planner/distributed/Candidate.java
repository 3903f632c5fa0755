package org.weft.planner.distributed;

import java.util.Map;
import java.util.Optional;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;

/**
 * A way to run the statement.
 *
 * @param reducer of the merge; null if parts have cells of their own
 */
record Candidate(
    Optional<IndexVar> label,
    Optional<Operator> reducer,
    Ranges ranges,
    Map<String, Route> routes,
    Map<String, Costs> exchanges,
    Costs kernel,
    Costs merge) {
  double seconds() {
    return exchanges.values().stream().mapToDouble(Costs::seconds).sum()
        + kernel.seconds()
        + merge.seconds();
  }

  double memoryBytes() {
    return Math.max(kernel.memoryBytes(), merge.memoryBytes());
  }

  double bytes() {
    return exchanges.values().stream().mapToDouble(Costs::bytes).sum() + merge.bytes();
  }

  DistributedPlan.Alternative described() {
    String how =
        routes.entrySet().stream()
            .map(route -> route.getKey() + " " + route.getValue())
            .sorted()
            .reduce((a, b) -> a + ", " + b)
            .orElse("no operands");
    return new DistributedPlan.Alternative(
        label.map(l -> "along " + l).orElse("undivided") + " (" + how + ")",
        bytes(),
        memoryBytes(),
        seconds());
  }
}
