package org.weft.it.bench;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.LongStream;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.kernel.Merge;
import org.weft.planner.partition.SliceRange;
import org.weft.tensor.CooBlock;

/**
 * The rows of factors that executors send one another in an iteration of a plan, counted entry by
 * entry. An executor has consecutive partitions of every mode. It gets the rows that its partitions
 * of other modes have entries in, each once an iteration. The rows of split slices are counted as
 * if every piece sent them to one place, and that sent them to all executors: at most so many move.
 */
final class RowsByNeed {
  private final int executors;
  private final JobPlan plan;
  private final long[][] starts;

  RowsByNeed(JobPlan plan, int executors) {
    this.plan = plan;
    this.executors = executors;
    starts = new long[plan.modes().size()][];
    for (ModePlan pass : plan.modes()) {
      if (pass.kernel().merge() != Merge.ROWS) {
        throw new IllegalArgumentException("expected a form for each mode, found " + pass);
      }
      starts[pass.mode()] =
          LongStream.concat(
                  pass.partitioning().ranges().stream()
                      .filter(range -> range.piece() == 0 && range.slices() > 0)
                      .mapToLong(SliceRange::from),
                  LongStream.of(pass.resultShape().size(0)))
              .toArray();
    }
  }

  /** Rows of others that the entries of an executor need. */
  long needed(CooBlock entries) {
    BitSet[][] needed = perExecutor(entries);
    long rows = 0;
    for (ModePlan pass : plan.modes()) {
      for (int executor = 0; executor < executors; executor++) {
        BitSet of = needed[pass.mode()][executor];
        for (int row = of == null ? -1 : of.nextSetBit(0); row >= 0; row = of.nextSetBit(row + 1)) {
          int range = range(pass.mode(), row);
          boolean own = owner(pass, range) == executor;
          rows += own || pieces(pass, range) > 1 ? 0 : 1;
        }
      }
    }
    return rows;
  }

  /** For every mode and executor the rows that its entries need. */
  private BitSet[][] perExecutor(CooBlock entries) {
    int order = starts.length;
    BitSet[][] needed = new BitSet[order][executors];
    for (ModePlan pass : plan.modes()) {
      int[] partitions = new int[entries.size()];
      pass.partitioning().partitionsOf(entries, partitions);
      for (int e = 0; e < partitions.length; e++) {
        int executor = executor(partitions[e], pass);
        for (int mode = 0; mode < order; mode++) {
          if (mode == pass.mode()) {
            continue;
          }
          if (needed[mode][executor] == null) {
            needed[mode][executor] = new BitSet();
          }
          needed[mode][executor].set((int) entries.coordinate(mode, e));
        }
      }
    }
    return needed;
  }

  /** Rows of split slices, to the driver and from it. */
  long throughDriver() {
    long rows = 0;
    for (ModePlan pass : plan.modes()) {
      for (int r = 0; r < starts[pass.mode()].length - 1; r++) {
        int pieces = pieces(pass, r);
        rows += pieces == 1 ? 0 : rows(pass.mode(), r) * (pieces + executors);
      }
    }
    return rows;
  }

  private int executor(int partition, ModePlan pass) {
    return (int) ((long) partition * executors / pass.partitioning().partitions());
  }

  private int range(int mode, long row) {
    int found = Arrays.binarySearch(starts[mode], row);
    return found >= 0 ? found : -found - 2;
  }

  private long rows(int mode, int range) {
    return starts[mode][range + 1] - starts[mode][range];
  }

  private SliceRange slices(ModePlan pass, int range) {
    return pass.partitioning().ranges().get(partition(pass, range));
  }

  private int partition(ModePlan pass, int range) {
    return pass.partitioning().partitionOf(starts[pass.mode()][range], 0);
  }

  private int owner(ModePlan pass, int range) {
    return executor(partition(pass, range), pass);
  }

  private int pieces(ModePlan pass, int range) {
    return slices(pass, range).pieces();
  }
}
