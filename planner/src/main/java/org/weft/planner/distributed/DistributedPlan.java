package org.weft.planner.distributed;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.text.Bytes;

/**
 * How a statement runs on tensors that lie on many machines.
 *
 * @param root the operators, the last one on top
 * @param grid of the parts
 * @param sizes of all labels
 * @param slots what becomes of each operand
 * @param kernel of one part
 * @param resultModes modes of the result that have the label of each axis of the grid
 * @param merge how results of parts for the same cells become one, if there are any
 * @param shape of the result
 * @param format in which a part's result is stored
 * @param alternatives what else was considered, the cheapest first
 */
public record DistributedPlan(
    PlanNode root,
    LabelGrid grid,
    Map<String, Long> sizes,
    List<Slot> slots,
    CompiledStatement kernel,
    List<List<Integer>> resultModes,
    Optional<Merge> merge,
    TensorShape shape,
    TensorFormat format,
    List<Alternative> alternatives) {
  public DistributedPlan {
    slots = List.copyOf(slots);
    resultModes = resultModes.stream().map(List::copyOf).toList();
    alternatives = List.copyOf(alternatives);
  }

  /**
   * An operand with its labels. A tensor that is read under other labels, too, has several slots.
   *
   * @param name in the plan's kernels
   * @param tensor in the statement
   */
  public record Slot(String name, String tensor, Route route) {}

  /**
   * The merge of results.
   *
   * @param ranges of the result's first mode
   * @param kernel reduces the operand {@link #PARTS}, whose last mode counts parts
   * @param labels of the result's modes in that kernel
   */
  public record Merge(Ranges ranges, CompiledStatement kernel, List<String> labels) {
    /** The operand of a merge. */
    public static final String PARTS = "Parts";

    /** The label of its last mode. */
    public static final String PART = "part";

    public Merge {
      labels = List.copyOf(labels);
    }
  }

  /** A way to run the statement. */
  public record Alternative(String what, double bytes, double memoryBytes, double seconds) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s: %s exchanged, %s a task, %.3f s",
          what,
          Bytes.text(bytes),
          Bytes.text(memoryBytes),
          seconds);
    }
  }

  /**
   * Whether the parts of the grid make ranges of the result's first mode, one after another. A
   * result in other parts is arranged so, or merged.
   */
  static boolean liesByRanges(List<List<Integer>> resultModes) {
    return resultModes.isEmpty()
        || resultModes.size() == 1
            && !resultModes.get(0).isEmpty()
            && resultModes.get(0).get(0) == 0;
  }

  /** Whether the result is sent on to lie by ranges of its first mode. */
  public boolean isArranged() {
    return merge.isEmpty() && !liesByRanges(resultModes);
  }

  /** Bytes that all exchanges are predicted to move. */
  public double exchangedBytes() {
    return bytes(root);
  }

  private static double bytes(PlanNode node) {
    return node.costs().bytes() + node.inputs().stream().mapToDouble(DistributedPlan::bytes).sum();
  }

  /** The tree with predictions, then the alternatives. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(tree(Map.of()));
    text.append("chosen of\n");
    alternatives.forEach(other -> text.append("  ").append(other).append('\n'));
    return text.toString();
  }

  /**
   * The tree with predictions, and beside them what was measured.
   *
   * @param measured by the names that {@link Measured} gives to nodes
   */
  public String tree(Map<String, Measured> measured) {
    StringBuilder text = new StringBuilder();
    lines(measured).forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  /** As {@link #tree}, node by node, the last operator first. */
  public List<Line> lines(Map<String, Measured> measured) {
    List<Line> lines = new ArrayList<>();
    PlanNode kernel = root instanceof PlanNode.Kernel ? root : root.inputs().get(0);
    int depth = root == kernel ? 0 : 1;
    if (root != kernel) {
      String node = root instanceof PlanNode.Merge ? Measured.MERGE : Measured.ARRANGED;
      lines.add(new Line(0, root, measured.get(node)));
    }
    lines.add(new Line(depth, kernel, measured.get(Measured.KERNEL)));
    for (int slot = 0; slot < slots.size(); slot++) {
      PlanNode exchange = kernel.inputs().get(slot);
      Measured took = measured.get(Measured.exchange(slots.get(slot).name()));
      lines.add(new Line(depth + 1, exchange, took));
      exchange.inputs().forEach(scan -> lines.add(new Line(depth + 2, scan, null)));
    }
    root.inputs().stream()
        .skip(1)
        .filter(in -> root != kernel)
        .forEach(in -> lines.add(new Line(1, in, null)));
    return lines;
  }

  /**
   * A node in the tree.
   *
   * @param measured what it took, if it ran
   */
  public record Line(int depth, PlanNode node, @Nullable Measured measured) {
    @Override
    public String toString() {
      String name = "  ".repeat(depth) + node;
      Costs costs = node.costs();
      return costs.equals(Costs.NONE) && measured == null
          ? name
          : String.format(
              Locale.ROOT,
              "%s [%s moved, %s a task, %.3g flops, %.3f s%s]",
              name,
              Bytes.text(costs.bytes()),
              Bytes.text(costs.memoryBytes()),
              costs.flops(),
              costs.seconds(),
              measured == null ? "" : "; measured " + measured);
    }
  }
}
