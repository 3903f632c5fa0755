package org.weft.decomposition.rows;

import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.kernel.Merge;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.RowUnits;

/**
 * The ranges into which a plan cuts the rows of a mode; a step takes them one by one. Sums are
 * added up by ranges, so the cuts decide their bits.
 */
public final class RangesOfRows {
  private RangesOfRows() {}

  /**
   * The first row of each range, ascending, and the number of rows.
   *
   * @param most ranges of a mode that no statement of the plan makes rows of
   */
  public static long[] starts(JobPlan plan, int mode, int most) {
    return plan.modes().stream()
        .filter(pass -> pass.mode() == mode)
        .findFirst()
        .map(RangesOfRows::starts)
        .orElseGet(() -> RowUnits.starts(plan.statistics().shape().size(mode), 1, most));
  }

  /** As many ranges as the plan has partitions: they do not depend on cores if these do not. */
  public static int mostOf(JobPlan plan) {
    return plan.modes().stream().mapToInt(pass -> pass.partitioning().partitions()).max().orElse(1);
  }

  private static long[] starts(ModePlan pass) {
    long rows = pass.resultShape().size(0);
    return pass.kernel().merge() == Merge.ROWS
        ? owned(pass, rows)
        : RowUnits.starts(rows, pass.kernel().rank(), pass.partitioning().partitions());
  }

  /** The slices of a partition; partitions with entries of the same slices share their rows. */
  private static long[] owned(ModePlan pass, long rows) {
    ModePartitioning cut = pass.partitioning();
    LongStream firsts = IntStream.range(0, cut.partitions()).mapToLong(cut::firstRow);
    return LongStream.concat(firsts, LongStream.of(rows)).distinct().toArray();
  }
}
