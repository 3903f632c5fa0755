package org.weft.planner;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.compiler.KernelRequest;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;

/**
 * One kernel of a plan and how it is called on a partition.
 *
 * <p>The kernel sees a partition as a tensor of its own: format {@link #tensorFormat}, shape {@link
 * #localShape}. With {@link Merge#ROWS} the coordinates of the partitioned mode are shifted down by
 * the first slice of the range when the partition is packed, so that the dense result has exactly
 * the range's rows; otherwise coordinates stay global.
 *
 * @param request what the compiler gets; its symbol names the kernel in the plan's image
 * @param tensor name of the sparse tensor in the expression
 * @param result name of the result in the expression
 * @param tensorFormat format that partitions are packed in
 * @param partitionedMode mode of the tensor along which partitions are cut: the outermost level
 * @param operands dense operands, by ascending mode
 * @param rank columns of the operands and of the result; 0 for TTV
 * @param merge how results of partitions are combined
 * @param writtenModes {@code writtenModes.get(m)}: the mode of the written tensor that mode m of
 *     the result is; the identity but for TTM, whose dense last mode takes the contracted mode's
 *     place
 */
public record KernelPlan(
    KernelRequest request,
    String tensor,
    String result,
    TensorFormat tensorFormat,
    int partitionedMode,
    List<Operand> operands,
    int rank,
    Merge merge,
    List<Integer> writtenModes)
    implements Serializable {
  public KernelPlan {
    operands = new ArrayList<>(operands);
    writtenModes = new ArrayList<>(writtenModes);
  }

  public TensorFormat resultFormat() {
    TensorFormat format = request.formats().get(result);
    if (format == null) {
      throw new IllegalStateException("no format of " + result + " in " + request);
    }
    return format;
  }

  /** What is subtracted from coordinates of the partitioned mode when {@code range} is packed. */
  public long rowOffset(SliceRange range) {
    return merge == Merge.ROWS ? range.from() : 0;
  }

  /** Shape of the partition of {@code range} as the kernel sees it. */
  public TensorShape localShape(TensorShape tensorShape, SliceRange range) {
    return merge == Merge.ROWS ? tensorShape.with(partitionedMode, range.slices()) : tensorShape;
  }

  /** Shape of the kernel's result for a tensor (or partition) of this shape. */
  public TensorShape resultShape(TensorShape shape) {
    if (merge == Merge.ROWS) {
      return TensorShape.of(shape.size(partitionedMode), rank);
    }
    TensorShape rest = shape.without(operands.get(0).mode());
    if (rank == 0) {
      return rest;
    }
    long[] sizes = Arrays.copyOf(rest.toArray(), rest.order() + 1);
    sizes[rest.order()] = rank;
    return TensorShape.of(sizes);
  }
}
