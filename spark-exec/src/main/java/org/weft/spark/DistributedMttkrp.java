package org.weft.spark;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.AlternatingLeastSquares;
import org.weft.planner.JobPlan;
import org.weft.planner.Merge;
import org.weft.planner.ModePlan;
import org.weft.planner.Operand;
import org.weft.spark.kernel.RowBlock;
import org.weft.spark.output.SummedRows;
import org.weft.spark.resident.OperandRows;
import org.weft.tensor.DenseMatrix;

/**
 * MTTKRPs of a decomposition on resident partitions: factors are broadcast when they change, rows
 * come back to the driver and are put together in partition order. Where every partition has all
 * rows, executors add them up first.
 */
final class DistributedMttkrp implements AlternatingLeastSquares.Tensor, AutoCloseable {
  private final PlanRunner runner;
  private final JobPlan plan;
  private final List<@Nullable OperandRows> factors = new ArrayList<>();

  DistributedMttkrp(PlanRunner runner, JobPlan plan) {
    this.runner = runner;
    this.plan = plan;
    for (int mode = 0; mode < plan.statistics().shape().order(); mode++) {
      factors.add(null);
    }
  }

  @Override
  public void publish(int mode, DenseMatrix factor) {
    @Nullable OperandRows old = factors.set(mode, runner.offer(factor));
    if (old != null) {
      old.destroy();
    }
  }

  @Override
  public DenseMatrix mttkrp(int mode, int sweep) {
    long start = System.nanoTime();
    ModePlan pass = plan.modes().get(mode);
    int rank = Math.toIntExact(pass.resultShape().size(1));
    runner.describe("cpd: mttkrp mode " + mode + ", rank " + rank + ", iteration " + sweep);
    List<OperandRows> operands = new ArrayList<>();
    for (Operand operand : pass.kernel().operands()) {
      operands.add(factor(operand.mode()));
    }
    JavaRDD<RowBlock> rows = runner.rows(pass, operands);
    if (pass.kernel().merge() == Merge.SUM) {
      rows = SummedRows.of(rows);
    }
    List<RowBlock> blocks = new ArrayList<>(rows.collect());
    blocks.sort(Comparator.comparingLong(RowBlock::firstRow).thenComparingInt(RowBlock::partition));
    DenseMatrix result = DenseMatrix.zeros(pass.resultShape().size(0), rank);
    long filled = 0;
    for (RowBlock block : blocks) {
      boolean fresh = block.firstRow() >= filled;
      for (int row = 0; row < block.rows(); row++) {
        put(result, block, row, fresh);
      }
      filled = Math.max(filled, block.firstRow() + block.rows());
    }
    runner.ran(pass, System.nanoTime() - start);
    return result;
  }

  private static void put(DenseMatrix result, RowBlock block, int row, boolean fresh) {
    long target = block.firstRow() + row;
    int at = row * block.columns();
    if (fresh) {
      result.setRow(target, block.values(), at);
      return;
    }
    for (int r = 0; r < block.columns(); r++) {
      result.set(target, r, result.get(target, r) + block.values()[at + r]);
    }
  }

  private OperandRows factor(int mode) {
    @Nullable OperandRows factor = factors.get(mode);
    if (factor == null) {
      throw new IllegalStateException("the factor of mode " + mode + " was never published");
    }
    return factor;
  }

  @Override
  public void close() {
    for (@Nullable OperandRows factor : factors) {
      if (factor != null) {
        factor.destroy();
      }
    }
  }
}
