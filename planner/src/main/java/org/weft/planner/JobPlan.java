package org.weft.planner;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.KernelRequest;
import org.weft.planner.job.Job;
import org.weft.planner.job.ModeGroup;
import org.weft.planner.machine.Resources;
import org.weft.planner.partition.ModePartitioning;
import org.weft.runtime.KernelImage;
import org.weft.statistics.TensorStatistics;

/**
 * Everything that is decided before a job runs. The driver keeps it; executors need the image and
 * the kernel plan of their mode, not the statistics, whose histograms may be large.
 *
 * @param job what is asked
 * @param statistics the tensor
 * @param resources the cluster
 * @param reading of the tensor's file
 * @param modes one pass for each statement of the job, or for each group of modes, in order
 * @param algebra the kernels of a method's dense algebra
 * @param image the compiled kernels of all passes, and of the algebra
 * @param predicted costs
 * @param forms why the passes of a decomposition share a form, or do not; null for other jobs
 * @param tree why they share products, or do not; null for other jobs
 */
public record JobPlan(
    Job job,
    TensorStatistics statistics,
    Resources resources,
    InputReading reading,
    List<ModePlan> modes,
    List<KernelRequest> algebra,
    KernelImage image,
    PlanCosts predicted,
    @Nullable FormsChoice forms,
    @Nullable TreeChoice tree)
    implements Serializable {
  public JobPlan {
    modes = new ArrayList<>(modes);
    algebra = new ArrayList<>(algebra);
  }

  /**
   * The same plan where slices have new numbers within the ranges that partitions have.
   *
   * @param numbered statistics under the new numbers
   * @param partitionings of the passes, which say where the rows of a partition begin
   */
  public JobPlan numbered(TensorStatistics numbered, List<ModePartitioning> partitionings) {
    List<ModePlan> passes =
        IntStream.range(0, modes.size())
            .mapToObj(pass -> modes.get(pass).withPartitioning(partitionings.get(pass)))
            .toList();
    return new JobPlan(
        job, numbered, resources, reading, passes, algebra, image, predicted, forms, tree);
  }

  /** The groups of modes that share products, and the others, in order; empty without any. */
  public List<ModeGroup> groups() {
    return tree != null && tree.shares() ? tree.groups() : List.of();
  }

  /** The forms that the tensor is packed in, each once. */
  public List<PackedForm> packedForms() {
    return modes.stream().map(ModePlan::form).distinct().toList();
  }

  /** The pass of a job with one pass. */
  public ModePlan only() {
    if (modes.size() != 1) {
      throw new IllegalStateException(job.name() + " has " + modes.size() + " passes");
    }
    return modes.get(0);
  }
}
