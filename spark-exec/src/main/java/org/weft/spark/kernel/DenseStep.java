package org.weft.spark.kernel;

import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Measurements;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeMemory;
import org.weft.planner.partition.RowUnits;
import org.weft.spark.resident.ResidentPartition;
import org.weft.spark.resident.TaskMemory;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Runs a kernel whose result is dense and hands its rows on, a block at a time. A partition without
 * entries gives no rows: they are zero.
 */
public final class DenseStep implements FlatMapFunction<Iterator<ResidentPartition>, RowBlock> {
  private static final long serialVersionUID = 1L;

  /** Rows of every block that a step hands on, but for the last of a partition. */
  public static int blockRows(int columns) {
    return RowUnits.rows(columns);
  }

  private final KernelCall call;
  private final TensorShape result;
  private final boolean slices;
  private final int columns;
  private final Measurements measurements;

  /**
   * @param result shape of the whole result; of order 1 it is one row, of order 0 one number
   * @param slices whether a partition makes the rows of its slices; otherwise it makes all rows, to
   *     be summed over the partitions
   */
  public DenseStep(KernelCall call, TensorShape result, boolean slices, Measurements measurements) {
    this.call = call;
    this.result = result;
    this.slices = slices;
    this.columns = columns(result);
    this.measurements = measurements;
  }

  /** Numbers in a row of a result. */
  private static int columns(TensorShape result) {
    long columns = 1;
    for (int mode = result.order() == 1 ? 0 : 1; mode < result.order(); mode++) {
      columns = Math.multiplyExact(columns, result.size(mode));
    }
    return Math.toIntExact(columns);
  }

  @Override
  public Iterator<RowBlock> call(Iterator<ResidentPartition> partitions) {
    return new Blocks(partitions);
  }

  /** Whether a partition makes the rows of its slices, and not all rows. */
  boolean makesSlices() {
    return slices;
  }

  /** The rows of a partition's slices, or of all; owned by the task. Zero without entries. */
  TensorStorage result(ResidentPartition partition) {
    return partition.storedEntries() > 0 ? run(partition) : zeros(partition);
  }

  private TensorStorage zeros(ResidentPartition partition) {
    TensorShape shape = slices ? result.with(0, partition.range().slices()) : result;
    return TensorStorage.dense(TaskMemory.ofTask().scope(), shape, call.valueType());
  }

  private TensorStorage run(ResidentPartition partition) {
    MemoryScope scope = TaskMemory.ofTask().scope();
    TensorStorage output = zeros(partition);
    Map<String, TensorStorage> bound = call.bind(partition, measurements);
    bound.put(call.output(), output);
    measurements.add(call.run(partition, bound, Map.of(), scope).measurement());
    return output;
  }

  /** The rows of one partition's result that have not been handed on. */
  private static final class Pending {
    private final ResidentPartition partition;
    private final TensorStorage output;
    private long at;

    Pending(ResidentPartition partition, TensorStorage output) {
      this.partition = partition;
      this.output = output;
    }

    boolean isEmpty() {
      return at == output.vals().length();
    }
  }

  private final class Blocks implements Iterator<RowBlock> {
    private final Iterator<ResidentPartition> partitions;
    private @Nullable Pending pending;

    Blocks(Iterator<ResidentPartition> partitions) {
      this.partitions = partitions;
    }

    @Override
    public boolean hasNext() {
      while (pending == null || pending.isEmpty()) {
        if (pending != null) {
          pending.output.close();
          pending = null;
        }
        if (!partitions.hasNext()) {
          return false;
        }
        ResidentPartition partition = partitions.next();
        if (partition.storedEntries() > 0) {
          pending = new Pending(partition, run(partition));
        }
      }
      return true;
    }

    @Override
    public RowBlock next() {
      if (!hasNext() || pending == null) {
        throw new NoSuchElementException();
      }
      Pending from = pending;
      long left = from.output.vals().length() - from.at;
      int blockRows = blockRows(columns);
      int count = (int) Math.min(left, (long) blockRows * columns);
      double[] values = new double[count];
      copy(from.output, from.at, values);
      long first = (slices ? from.partition.range().from() : 0) + from.at / columns;
      from.at += count;
      return new RowBlock(from.partition.partition(), first, columns, values);
    }
  }

  private static void copy(TensorStorage from, long at, double[] into) {
    if (from.vals().type().bytes() == Double.BYTES) {
      NativeMemory.copyToArray(from.vals().address() + at * Double.BYTES, into, 0, into.length);
      return;
    }
    for (int i = 0; i < into.length; i++) {
      into[i] = from.vals().getDouble(at + i);
    }
  }
}
