package org.weft.compiler.eval;

import java.util.List;
import java.util.stream.Collectors;
import org.weft.compiler.algebra.TensorVar;

/**
 * How a statement is evaluated: the steps in order, the last of which makes the result.
 *
 * @param statement the statement as algebra
 * @param notes what was considered on the way, one line each: contraction orders and their costs
 */
public record EvaluationPlan(String statement, List<String> notes, List<EvaluationStep> steps) {
  public EvaluationPlan {
    notes = List.copyOf(notes);
    steps = List.copyOf(steps);
    if (steps.isEmpty()) {
      throw new IllegalArgumentException("a plan without steps");
    }
  }

  /** The tensor that the statement assigns to. */
  public TensorVar result() {
    return steps.get(steps.size() - 1).result();
  }

  /** The statement, then notes and steps. */
  @Override
  public String toString() {
    return "statement "
        + statement
        + "\n"
        + notes.stream().map(note -> note + "\n").collect(Collectors.joining())
        + steps.stream().map(EvaluationStep::toString).collect(Collectors.joining());
  }
}
