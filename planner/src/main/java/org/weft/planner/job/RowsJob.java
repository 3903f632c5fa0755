package org.weft.planner.job;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
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
 * @param iterations in which each statement runs once, at most
 * @param certain of these, how many it is sure to run
 */
public record RowsJob(
    String name,
    List<RowStatement> statements,
    List<KernelRequest> algebra,
    int iterations,
    int certain,
    ValueType valueType)
    implements Job {
  private static final int CERTAIN_SWEEPS = 10;

  public RowsJob {
    Job.requireFloating(name, valueType);
    statements = new ArrayList<>(statements);
    algebra = new ArrayList<>(algebra);
  }

  /** A job that runs every iteration. */
  public RowsJob(
      String name,
      List<RowStatement> statements,
      List<KernelRequest> algebra,
      int iterations,
      ValueType valueType) {
    this(name, statements, algebra, iterations, iterations, valueType);
  }

  /** The same if it ends when its fit changes by less than a tolerance; 0 for never. */
  public RowsJob withTolerance(double tolerance) {
    int sure = tolerance > 0 ? Math.min(iterations, CERTAIN_SWEEPS) : iterations;
    return new RowsJob(name, statements, algebra, iterations, sure, valueType);
  }

  /** MTTKRPs with factors of {@code rank} columns for all modes, in order. */
  public static RowsJob mttkrps(
      String name,
      int order,
      int rank,
      List<KernelRequest> algebra,
      int iterations,
      ValueType valueType) {
    return new RowsJob(
        name,
        IntStream.range(0, order).mapToObj(mode -> RowStatement.mttkrp(order, mode, rank)).toList(),
        algebra,
        iterations,
        valueType);
  }

  /** The columns of the factors if the statements are MTTKRPs for all modes, in order. */
  public OptionalInt mttkrpRank(int order) {
    int rank =
        statements.isEmpty()
            ? 0
            : statements.get(0).columns().values().stream().reduce(1, Math::multiplyExact);
    RowsJob all = mttkrps(name, order, rank, algebra, iterations, valueType);
    return statements.equals(all.statements) ? OptionalInt.of(rank) : OptionalInt.empty();
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
