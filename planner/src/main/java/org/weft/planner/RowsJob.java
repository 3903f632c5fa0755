package org.weft.planner;

import java.util.ArrayList;
import java.util.List;
import org.weft.compiler.KernelRequest;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * What an iterative method runs again and again: statements on the tensor, whose results are dense
 * rows, and dense algebra on those rows.
 *
 * @param name of the method, for people and logs
 * @param statements each becomes a pass, in order
 * @param algebra kernels of dense tensors, by symbol
 * @param iterations in which each statement runs once
 */
public record RowsJob(
    String name,
    List<RowStatement> statements,
    List<KernelRequest> algebra,
    int iterations,
    ValueType valueType)
    implements Job {
  public RowsJob {
    Job.requireFloating(name, valueType);
    statements = new ArrayList<>(statements);
    algebra = new ArrayList<>(algebra);
  }

  @Override
  public void checkAppliesTo(TensorShape shape) {
    statements.forEach(statement -> Job.requireModeOf(name, statement.mode(), shape));
  }

  @Override
  public String toString() {
    return name + ", " + iterations + " iterations, " + valueType.keyword();
  }
}
