package org.weft.planner;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.weft.compiler.Directive;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;

/**
 * One kernel of a plan and how it is called on a partition.
 *
 * <p>The kernel sees a partition as a tensor of its own: format {@link #tensorFormat}, shape {@link
 * #localShape}. With a dense result the coordinates of the partitioned mode are shifted down by the
 * first slice of the range when the partition is packed, so that the result ({@link Merge#ROWS}),
 * or the operand of that mode ({@link Merge#SUM}), has exactly the range's rows; otherwise
 * coordinates stay global.
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

  KernelPlan withSchedule(Schedule schedule) {
    return new KernelPlan(
        request.withSchedule(schedule),
        tensor,
        result,
        tensorFormat,
        partitionedMode,
        operands,
        rank,
        merge,
        writtenModes);
  }

  public TensorFormat resultFormat() {
    TensorFormat format = request.formats().get(result);
    if (format == null) {
      throw new IllegalStateException("no format of " + result + " in " + request);
    }
    return format;
  }

  /** Whether coordinates of the partitioned mode start at 0 in each partition. */
  public boolean isLocal() {
    return merge != Merge.ENTRIES;
  }

  /** Whether {@code operand} is bound to the rows of a partition's range, not to all of them. */
  public boolean isSliced(Operand operand) {
    return isLocal() && operand.mode() == partitionedMode;
  }

  /** Whether a call uses more than one thread if it has them. */
  public boolean isParallel() {
    return !request.schedule().equals(Schedule.sequential());
  }

  /** Copies of the result that the threads of a call add to before they are added up. */
  public int privateResults() {
    return merge == Merge.SUM && isParallel() ? Directive.Parallel.SHARES : 0;
  }

  /** The tensor's modes that the result has: those without an operand. */
  public List<Integer> resultModes(int order) {
    return IntStream.range(0, order)
        .filter(mode -> operands.stream().noneMatch(operand -> operand.mode() == mode))
        .boxed()
        .toList();
  }

  /** What is subtracted from coordinates of the partitioned mode when {@code range} is packed. */
  public long rowOffset(SliceRange range) {
    return isLocal() ? range.from() : 0;
  }

  /** Shape of the partition of {@code range} as the kernel sees it. */
  public TensorShape localShape(TensorShape tensorShape, SliceRange range) {
    return isLocal() ? tensorShape.with(partitionedMode, range.slices()) : tensorShape;
  }

  /** Shape of the kernel's result for a tensor (or partition) of this shape. */
  public TensorShape resultShape(TensorShape shape) {
    LongStream rows = resultModes(shape.order()).stream().mapToLong(shape::size);
    LongStream columns = rank == 0 ? LongStream.empty() : LongStream.of(rank);
    return TensorShape.of(LongStream.concat(rows, columns).toArray());
  }
}
