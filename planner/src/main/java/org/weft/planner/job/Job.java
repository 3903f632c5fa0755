package org.weft.planner.job;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.weft.compiler.KernelRequest;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * What is done to one sparse tensor: statements, and for a method that runs them again and again
 * dense algebra on the rows of their results. MTTKRP, TTM and TTV are jobs of one statement.
 *
 * @param name of the operation or the method, for people and logs
 * @param statements each becomes a pass, in order
 * @param algebra kernels of dense tensors, by symbol
 * @param iterations in which each of the other statements runs once, at most
 * @param certain of these, how many it is sure to run
 * @param sharing whether the method looks at the {@link ModeGroup}s of its plan, where there are
 *     statements of groups in the place of MTTKRPs
 * @param once so many of the last statements run once, before the iterations
 */
public record Job(
    String name,
    List<JobStatement> statements,
    List<KernelRequest> algebra,
    int iterations,
    int certain,
    ValueType valueType,
    boolean sharing,
    int once)
    implements Serializable {
  private static final int CERTAIN_SWEEPS = 10;

  public Job {
    if (valueType != ValueType.DOUBLE && valueType != ValueType.FLOAT) {
      throw new WeftException(
          ErrorCode.USAGE,
          name + ": expected value type double or float, found " + valueType.keyword());
    }
    statements = new ArrayList<>(statements);
    algebra = new ArrayList<>(algebra);
  }

  /** A job that runs every iteration. */
  public Job(
      String name,
      List<? extends JobStatement> statements,
      List<KernelRequest> algebra,
      int iterations,
      ValueType valueType) {
    this(name, List.copyOf(statements), algebra, iterations, iterations, valueType, false, 0);
  }

  /** A job of one statement, which runs once. */
  public static Job of(JobStatement statement, ValueType valueType) {
    return new Job(statement.name(), List.of(statement), List.of(), 1, valueType);
  }

  /** The same if it ends when its fit changes by less than a tolerance; 0 for never. */
  public Job withTolerance(double tolerance) {
    int sure = tolerance > 0 ? Math.min(iterations, CERTAIN_SWEEPS) : iterations;
    return new Job(name, statements, algebra, iterations, sure, valueType, sharing, once);
  }

  /** The same for a method that can share products among modes, or for one that cannot. */
  public Job withSharing(boolean can) {
    return new Job(name, statements, algebra, iterations, certain, valueType, can, once);
  }

  /** The same with statements that run once, before the iterations, on forms of the iterations. */
  public Job beginning(List<? extends JobStatement> more) {
    List<JobStatement> all = new ArrayList<>(statements);
    all.addAll(more);
    return new Job(name, all, algebra, iterations, certain, valueType, sharing, once + more.size());
  }

  /** MTTKRPs with factors of {@code rank} columns for all modes, in order. */
  public static Job mttkrps(
      String name,
      int order,
      int rank,
      List<KernelRequest> algebra,
      int iterations,
      ValueType valueType) {
    return new Job(
        name,
        IntStream.range(0, order).mapToObj(mode -> RowStatement.mttkrp(order, mode, rank)).toList(),
        algebra,
        iterations,
        valueType);
  }

  /** The columns of the factors if the statements are MTTKRPs for all modes, in order. */
  public OptionalInt mttkrpRank(int order) {
    int rank = statements.isEmpty() ? 0 : Math.toIntExact(statements.get(0).cells());
    Job all = mttkrps(name, order, rank, algebra, iterations, valueType);
    return statements.equals(all.statements) ? OptionalInt.of(rank) : OptionalInt.empty();
  }

  /**
   * Checks that the job applies to a tensor of this shape.
   *
   * @throws WeftException USAGE when a mode does not exist or the order is 0
   */
  public void checkAppliesTo(TensorShape shape) {
    statements.forEach(statement -> statement.checkAppliesTo(shape));
  }

  @Override
  public String toString() {
    String what =
        iterations == 1 && statements.size() == 1
            ? statements.get(0).toString()
            : name + ", " + Counts.plain(iterations, "iteration");
    return what + ", " + valueType.keyword();
  }
}
