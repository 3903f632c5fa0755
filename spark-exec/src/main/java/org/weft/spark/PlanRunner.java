package org.weft.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.weft.planner.JobPlan;
import org.weft.planner.KernelPlan;
import org.weft.planner.Merge;
import org.weft.planner.ModePlan;
import org.weft.planner.Operand;
import org.weft.planner.PartitionCosts;
import org.weft.runtime.KernelImage;
import org.weft.spark.kernel.BroadcastOperand;
import org.weft.spark.kernel.DenseStep;
import org.weft.spark.kernel.EntryBlock;
import org.weft.spark.kernel.KernelCall;
import org.weft.spark.kernel.RowBlock;
import org.weft.spark.kernel.SparseStep;
import org.weft.spark.resident.ResidentTensor;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;

/**
 * The passes of one plan over one tensor: broadcasts the library, makes the tensor resident, and
 * turns each pass into a distributed computation of rows or entries. Driver side; what it sends is
 * free of compiler classes. Close it to take the library back.
 */
final class PlanRunner implements AutoCloseable {
  private final JavaSparkContext context;
  private final SparkTensor tensor;
  private final JobPlan plan;
  private final JobClock clock;
  private final Broadcast<KernelImage> image;

  PlanRunner(JavaSparkContext context, SparkTensor tensor, JobPlan plan, JobClock clock) {
    this.context = context;
    this.tensor = tensor;
    this.plan = plan;
    this.clock = clock;
    this.image = context.broadcast(plan.image());
  }

  /** The tensor packed for {@code pass}. */
  ResidentTensor resident(ModePlan pass) {
    return tensor.resident(pass, clock);
  }

  Broadcast<DenseMatrix> broadcast(DenseMatrix matrix) {
    return context.broadcast(matrix);
  }

  /** The rows of a pass with a dense result; nothing runs yet. */
  JavaRDD<RowBlock> rows(ModePlan pass, List<Broadcast<DenseMatrix>> operands) {
    TensorShape result = pass.resultShape();
    DenseStep.Rows rows =
        pass.kernel().merge() == Merge.ROWS
            ? DenseStep.Rows.SLICES
            : result.order() == 0 ? DenseStep.Rows.SCALAR : DenseStep.Rows.ONE;
    int columns = result.order() == 0 ? 1 : Math.toIntExact(result.size(result.order() - 1));
    return resident(pass)
        .partitions()
        .mapPartitions(new DenseStep(call(pass, operands), rows, columns, clock.measurements()));
  }

  /** The entries of a pass with a sparse result; nothing runs yet. */
  JavaRDD<EntryBlock> entries(ModePlan pass, List<Broadcast<DenseMatrix>> operands) {
    int[] written = pass.kernel().writtenModes().stream().mapToInt(Integer::intValue).toArray();
    return resident(pass)
        .partitions()
        .mapPartitions(
            new SparseStep(
                call(pass, operands), pass.resultShape(), written, clock.measurements()));
  }

  /** Books one execution of {@code pass}. */
  void ran(ModePlan pass, long elapsedNanos) {
    clock.ran(plan.job().name() + " mode " + pass.mode(), predictedSeconds(pass), elapsedNanos);
  }

  /** Kernel seconds of a pass if its tasks share the slots evenly. */
  private double predictedSeconds(ModePlan pass) {
    double sum = pass.partitions().stream().mapToDouble(PartitionCosts::seconds).sum();
    return sum / Math.max(1, Math.min(plan.resources().slots(), pass.partitions().size()));
  }

  private KernelCall call(ModePlan pass, List<Broadcast<DenseMatrix>> matrices) {
    KernelPlan kernel = pass.kernel();
    List<BroadcastOperand> operands = new ArrayList<>();
    for (int i = 0; i < matrices.size(); i++) {
      Operand operand = kernel.operands().get(i);
      operands.add(new BroadcastOperand(operand.name(), operand.isVector(), matrices.get(i)));
    }
    double entries = pass.partitions().stream().mapToDouble(PartitionCosts::entries).sum();
    double flops = pass.partitions().stream().mapToDouble(PartitionCosts::flops).sum();
    return new KernelCall(
        plan.job().name(),
        image,
        kernel.request().symbol(),
        kernel.tensor(),
        kernel.result(),
        operands,
        kernel.tensorFormat().valueType(),
        entries == 0 ? 0 : flops / entries,
        plan.resources().kernelThreads());
  }

  @Override
  public void close() {
    image.destroy();
  }
}
