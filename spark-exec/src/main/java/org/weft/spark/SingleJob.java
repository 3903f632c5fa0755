package org.weft.spark;

import java.util.ArrayList;
import java.util.List;
import org.weft.planner.JobPlan;
import org.weft.planner.Merge;
import org.weft.planner.ModePlan;
import org.weft.planner.Operand;
import org.weft.spark.output.ResultFile;
import org.weft.spark.resident.OperandRows;
import org.weft.storage.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;

/** A job of one pass, from a tensor to a file: MTTKRP, TTM, TTV. */
final class SingleJob {
  private final FileAccess files;
  private final OutputTarget target;
  private final ProgressListener progress;

  SingleJob(FileAccess files, OutputTarget target, ProgressListener progress) {
    this.files = files;
    this.target = target;
    this.progress = progress;
  }

  /**
   * Packs, runs and writes.
   *
   * @param operands one matrix per operand of the plan's kernel, in their order
   */
  void run(PlanRunner runner, JobPlan plan, List<DenseMatrix> operands, JobClock clock) {
    ModePlan pass = plan.only();
    progress.step("pack " + pass.tensorShape() + " by mode " + pass.partitioning().mode(), 1, 3);
    runner.resident(pass);
    progress.step(plan.job().name() + " and write " + target.uri(), 2, 3);
    List<OperandRows> offered = new ArrayList<>();
    long start = System.nanoTime();
    try {
      for (DenseMatrix operand : operands) {
        offered.add(runner.offer(operand));
      }
      write(runner, pass, offered, clock);
    } finally {
      offered.forEach(OperandRows::destroy);
    }
    runner.ran(pass, System.nanoTime() - start);
    progress.step("done", 3, 3);
  }

  private void write(PlanRunner runner, ModePlan pass, List<OperandRows> operands, JobClock clock) {
    ResultFile file = new ResultFile(files, target.uri(), target.overwrite(), clock.measurements());
    TensorShape shape = written(pass);
    if (pass.kernel().merge() == Merge.ENTRIES) {
      file.writeEntries(
          runner.resultEntries(pass, operands),
          shape,
          writtenOrder(pass),
          runner.resultSlices(pass));
    } else {
      file.writeRows(runner.resultRows(pass, operands), shape);
    }
  }

  private static TensorShape written(ModePlan pass) {
    TensorShape result = pass.resultShape();
    long[] sizes = new long[result.order()];
    for (int mode = 0; mode < sizes.length; mode++) {
      sizes[pass.kernel().writtenModes().get(mode)] = result.size(mode);
    }
    return TensorShape.of(sizes);
  }

  /** The written result's modes in the order in which its entries are sorted. */
  private static int[] writtenOrder(ModePlan pass) {
    int[] order = pass.kernel().resultFormat().modeOrder();
    for (int level = 0; level < order.length; level++) {
      order[level] = pass.kernel().writtenModes().get(order[level]);
    }
    return order;
  }

  /**
   * Checks a matrix against the operand it is meant for.
   *
   * @throws org.weft.error.WeftException {@code SHAPE_MISMATCH}
   */
  static void requireShape(Operand operand, TensorShape tensor, DenseMatrix matrix) {
    int columns = Math.max(1, operand.columns());
    if (matrix.rows() != tensor.size(operand.mode()) || matrix.columns() != columns) {
      throw new org.weft.error.WeftException(
          org.weft.error.ErrorCode.SHAPE_MISMATCH,
          "operand "
              + operand.name()
              + " belongs to mode "
              + operand.mode()
              + ": expected "
              + tensor.size(operand.mode())
              + " x "
              + columns
              + ", found "
              + matrix.rows()
              + " x "
              + matrix.columns());
    }
  }
}
