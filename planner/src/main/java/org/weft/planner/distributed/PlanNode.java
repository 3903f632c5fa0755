package org.weft.planner.distributed;

import java.util.List;
import java.util.Locale;
import org.weft.tensor.TensorShape;

/** One operator of a plan; prints itself as one line. */
public sealed interface PlanNode {
  /** What it works on. */
  List<PlanNode> inputs();

  Costs costs();

  /** Entries of a tensor, where they were read or made. */
  record Scan(String tensor, TensorShape shape, double entries) implements PlanNode {
    @Override
    public List<PlanNode> inputs() {
      return List.of();
    }

    @Override
    public Costs costs() {
      return Costs.NONE;
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "scan %s: %s, %,.0f entries", tensor, shape, entries);
    }
  }

  /** Entries sent to the parts that need them. */
  record Exchange(PlanNode input, Route route, int parts, Costs costs) implements PlanNode {
    @Override
    public List<PlanNode> inputs() {
      return List.of(input);
    }

    @Override
    public String toString() {
      return "exchange " + route;
    }
  }

  /** The statement, in every part. */
  record Kernel(List<PlanNode> inputs, String statement, LabelGrid grid, Costs costs)
      implements PlanNode {
    public Kernel {
      inputs = List.copyOf(inputs);
    }

    @Override
    public String toString() {
      return "kernel " + statement + ", " + grid;
    }
  }

  /** Results of parts for the same cells made one, with the reducer of the statement. */
  record Merge(List<PlanNode> inputs, String reducer, int parts, Costs costs) implements PlanNode {
    public Merge {
      inputs = List.copyOf(inputs);
    }

    @Override
    public String toString() {
      return "merge equal coordinates with " + reducer;
    }
  }
}
