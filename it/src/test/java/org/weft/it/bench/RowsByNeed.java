package org.weft.it.bench;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.kernel.Merge;
import org.weft.planner.partition.ModePartitioning;
import org.weft.tensor.CooBlock;

/**
 * The rows of factors that executors send one another in an iteration of a plan, counted entry by
 * entry. An executor has partitions of near places of every mode. It gets the rows that its
 * partitions of other modes have entries in, each once an iteration. What partitions make of rows
 * that they share goes to one of them, which has the rows.
 */
final class RowsByNeed {
  private final int executors;
  private final JobPlan plan;
  private final CooBlock entries;
  private final long[][] starts;
  private final int[][] owners; // executors by mode and range

  RowsByNeed(JobPlan plan, CooBlock entries, int executors) {
    this.entries = entries;
    this.plan = plan;
    this.executors = executors;
    starts = new long[plan.modes().size()][];
    owners = new int[starts.length][];
    for (ModePlan pass : plan.modes()) {
      if (pass.kernel().merge() != Merge.ROWS) {
        throw new IllegalArgumentException("expected a form for each mode, found " + pass);
      }
      ModePartitioning cut = pass.partitioning();
      starts[pass.mode()] =
          LongStream.concat(
                  IntStream.range(0, cut.partitions()).mapToLong(cut::firstRow),
                  LongStream.of(pass.resultShape().size(0)))
              .distinct()
              .toArray();
      owners[pass.mode()] = owners(pass);
    }
  }

  /** Rows of others that the entries of an executor need. */
  long needed() {
    BitSet[][] needed = new BitSet[starts.length][executors];
    for (ModePlan pass : plan.modes()) {
      int[] partitions = partitions(pass);
      for (int e = 0; e < partitions.length; e++) {
        for (int mode = 0; mode < starts.length; mode++) {
          if (mode != pass.mode()) {
            set(needed[mode], executor(partitions[e], pass), entries.coordinate(mode, e));
          }
        }
      }
    }
    return plan.modes().stream().mapToLong(pass -> elsewhere(pass, needed[pass.mode()])).sum();
  }

  /** Rows that partitions have a part in, and others add up. */
  long added() {
    long rows = 0;
    for (ModePlan pass : plan.modes()) {
      BitSet[] parts = new BitSet[executors];
      int[] partitions = partitions(pass);
      for (int e = 0; e < partitions.length; e++) {
        if (pass.range(partitions[e]).pieces() > 1) {
          set(parts, executor(partitions[e], pass), entries.coordinate(pass.mode(), e));
        }
      }
      rows += elsewhere(pass, parts);
    }
    return rows;
  }

  private int[] partitions(ModePlan pass) {
    int[] partitions = new int[entries.size()];
    pass.partitioning().partitionsOf(entries, partitions);
    return partitions;
  }

  private static void set(BitSet[] rows, int executor, long row) {
    if (rows[executor] == null) {
      rows[executor] = new BitSet();
    }
    rows[executor].set((int) row);
  }

  /** Those of the rows of each executor that another one has. */
  private long elsewhere(ModePlan pass, BitSet[] rows) {
    long count = 0;
    for (int executor = 0; executor < executors; executor++) {
      BitSet of = rows[executor];
      for (int row = of == null ? -1 : of.nextSetBit(0); row >= 0; row = of.nextSetBit(row + 1)) {
        count += owner(pass, row) == executor ? 0 : 1;
      }
    }
    return count;
  }

  private int executor(int partition, ModePlan pass) {
    long place = pass.partitioning().place(partition);
    return (int) (place * executors / pass.partitioning().partitions());
  }

  /** A range is where the last of the partitions is that have entries and begin with it. */
  private int[] owners(ModePlan pass) {
    int[] executors = new int[starts[pass.mode()].length - 1];
    for (int partition : Arrays.stream(partitions(pass)).sorted().distinct().toArray()) {
      int range = Arrays.binarySearch(starts[pass.mode()], pass.partitioning().firstRow(partition));
      if (range < executors.length) {
        executors[range] = executor(partition, pass);
      }
    }
    return executors;
  }

  private int owner(ModePlan pass, long row) {
    int found = Arrays.binarySearch(starts[pass.mode()], row);
    return owners[pass.mode()][found >= 0 ? found : -found - 2];
  }
}
