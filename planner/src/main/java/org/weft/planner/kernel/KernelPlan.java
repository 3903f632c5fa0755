package org.weft.planner.kernel;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.weft.compiler.Directive;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.planner.job.RowStatement;
import org.weft.runtime.MatrixCopies;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;

/**
 * One kernel of a plan and how it is called on a partition.
 *
 * <p>The kernel sees a partition as a tensor of its own: format {@link #tensorFormat}, and the
 * shape that it is packed with. With a dense result the coordinates of the partitioned mode are
 * shifted down by the first slice of the range when the partition is packed, so that the result
 * ({@link Merge#ROWS}), or the operand of that mode ({@link Merge#SUM}), has exactly the range's
 * rows; otherwise coordinates stay global.
 *
 * @param request what the compiler gets; its symbol names the kernel in the plan's image
 * @param tensor name of the sparse tensor in the expression
 * @param result name of the result in the expression
 * @param tensorFormat format that partitions are packed in
 * @param partitionedMode mode of the tensor along which partitions are cut: the outermost level
 * @param operands dense operands, by ascending mode
 * @param columns the result's modes after those of the tensor; none for TTV
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
    List<Integer> columns,
    Merge merge,
    List<Integer> writtenModes)
    implements Serializable {
  public KernelPlan {
    operands = new ArrayList<>(operands);
    columns = new ArrayList<>(columns);
    writtenModes = new ArrayList<>(writtenModes);
  }

  /** Cells of a row of the result, for all columns; 0 for TTV. */
  public int rank() {
    return columns.isEmpty() ? 0 : columns.stream().reduce(1, Math::multiplyExact);
  }

  KernelPlan withSchedule(Schedule schedule) {
    return withRequest(request.withSchedule(schedule));
  }

  KernelPlan withRequest(KernelRequest other) {
    return new KernelPlan(
        other,
        tensor,
        result,
        tensorFormat,
        partitionedMode,
        operands,
        columns,
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

  /** Whether rows of the result have modes of the tensor: a position adds to a part of a row. */
  boolean rowsHaveModes() {
    return IntStream.range(0, tensorFormat.order())
        .anyMatch(mode -> request.sizes().containsKey(RowStatement.variable(mode)));
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
    return request.schedule().parallelOutermost()
        || request.schedule().directives().stream().anyMatch(Directive.Parallel.class::isInstance);
  }

  /**
   * Columns of the dense matrices that lie together: all of them, or those of a panel, whose rows
   * come one after the other before the next panel's. Panels are for the kernel alone: {@link
   * #copies()} turn row-major matrices into them, and the result back.
   */
  public int panel() {
    TensorFormat format = resultFormat();
    return format.levelCount() > 0 && format.coordinate(0) instanceof LevelCoordinate.Block block
        ? (int) block.size()
        : rank();
  }

  /** How often the kernel walks the tensor: once for every panel. */
  public int panels() {
    return rank() == 0 ? 1 : 1 + (rank() - 1) / panel(); // a sum with panel() may overflow
  }

  /**
   * The kernels that {@link MatrixCopies} needs; none for row-major matrices. They are for this
   * rank: a library has kernels of one rank.
   */
  public List<KernelRequest> copies() {
    if (panels() == 1) {
      return List.of();
    }
    Map<String, TensorFormat> formats = new LinkedHashMap<>();
    formats.put(MatrixCopies.COPY, resultFormat());
    formats.put(MatrixCopies.MATRIX, TensorFormat.dense(2, resultFormat().valueType()));
    String copy = MatrixCopies.COPY + "(i,r)";
    String matrix = MatrixCopies.MATRIX + "(i,r)";
    Map<String, Long> sizes = Map.of("r", (long) rank());
    Schedule rows = Schedule.parse("order(i,r) parallel(i)");
    return List.of(
        new KernelRequest(MatrixCopies.IN + panel(), copy + " = " + matrix, formats, sizes, rows),
        new KernelRequest(MatrixCopies.OUT + panel(), matrix + " = " + copy, formats, sizes, rows));
  }

  /**
   * Bytes of copies; 0 for row-major matrices.
   *
   * @param times that every operand is copied
   * @param slices rows of the result
   */
  public double copiedBytes(TensorShape tensorShape, double times, double slices) {
    double rows = slices;
    for (Operand operand : operands) {
      rows += times * tensorShape.size(operand.mode());
    }
    return rows * copiedRowBytes();
  }

  /** Bytes of a row in a copy, which has whole panels; 0 for row-major matrices. */
  public double copiedRowBytes() {
    return panels() == 1 ? 0 : (double) panels() * panel() * resultFormat().valueType().bytes();
  }

  /** Copies of the result that the threads of a call add to before they are added up. */
  public int privateResults() {
    return merge == Merge.SUM && isParallel() ? Directive.Parallel.SHARES : 0;
  }

  /** The tensor's modes that the result has: that of its rows, or those without an operand. */
  public List<Integer> resultModes(int order) {
    if (merge == Merge.ROWS) {
      return List.of(partitionedMode);
    }
    return IntStream.range(0, order)
        .filter(mode -> operands.stream().noneMatch(operand -> operand.mode() == mode))
        .boxed()
        .toList();
  }

  /** Shape of the kernel's result for a tensor (or partition) of this shape. */
  public TensorShape resultShape(TensorShape shape) {
    LongStream rows = resultModes(shape.order()).stream().mapToLong(shape::size);
    LongStream cells = columns.stream().mapToLong(Integer::longValue);
    return TensorShape.of(LongStream.concat(rows, cells).toArray());
  }
}
