package org.weft.spark.kernel;

import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Measurements;
import org.weft.memory.MemoryScope;
import org.weft.planner.partition.SliceRange;
import org.weft.spark.resident.ResidentPartition;
import org.weft.spark.resident.TaskMemory;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Runs a kernel whose result is sparse and hands its entries on in storage order, a block at a
 * time, with their modes in the order of the written result.
 */
public final class SparseStep implements FlatMapFunction<Iterator<ResidentPartition>, EntryBlock> {
  private static final long serialVersionUID = 1L;
  private static final int BLOCK_ENTRIES = 1 << 15;

  private final KernelCall call;
  private final TensorShape shape;
  private final int[] writtenModes;
  private final Measurements measurements;

  /**
   * @param shape of the whole result as the kernel orders its modes
   * @param writtenModes for each of the kernel's result modes, its mode in the written result
   */
  public SparseStep(
      KernelCall call, TensorShape shape, int[] writtenModes, Measurements measurements) {
    this.call = call;
    this.shape = shape;
    this.writtenModes = writtenModes.clone();
    this.measurements = measurements;
  }

  @Override
  public Iterator<EntryBlock> call(Iterator<ResidentPartition> partitions) {
    return new Blocks(partitions);
  }

  /** The result of one partition, with what gives its charge back. */
  private record Charged(TensorStorage output, Runnable refund) implements AutoCloseable {
    @Override
    public void close() {
      output.close();
      refund.run();
    }
  }

  private Charged run(ResidentPartition partition) {
    TaskMemory memory = TaskMemory.ofTask();
    MemoryScope scope = memory.scope();
    Map<String, TensorStorage> bound = call.bind(partition, measurements);
    KernelCall.Result ran = call.run(partition, bound, Map.of(call.output(), shape), scope);
    measurements.add(ran.measurement());
    TensorStorage output = ran.outputs().get(call.output());
    if (output == null) {
      throw new IllegalStateException("kernel " + call.symbol() + " made no " + call.output());
    }
    return new Charged(output, memory.charge(output.byteSize()));
  }

  private final class Blocks implements Iterator<EntryBlock> {
    private final Iterator<ResidentPartition> partitions;
    private @Nullable ResidentPartition partition;
    private @Nullable Charged output;
    private Iterator<CooBlock> blocks = Collections.emptyIterator();
    private int sequence;

    Blocks(Iterator<ResidentPartition> partitions) {
      this.partitions = partitions;
    }

    @Override
    public boolean hasNext() {
      while (!blocks.hasNext()) {
        if (output != null) {
          output.close();
          output = null;
        }
        if (!partitions.hasNext()) {
          return false;
        }
        ResidentPartition next = partitions.next();
        partition = next;
        sequence = 0;
        if (next.storedEntries() > 0) {
          Charged ran = run(next);
          output = ran;
          blocks = Packing.unpackBlocks(ran.output(), BLOCK_ENTRIES);
        }
      }
      return true;
    }

    @Override
    public EntryBlock next() {
      if (!hasNext() || partition == null) {
        throw new NoSuchElementException();
      }
      SliceRange range = partition.range();
      CooBlock entries = written(blocks.next());
      return new EntryBlock(
          range.from(), partition.partition(), sequence++, range.pieces() > 1, entries);
    }
  }

  /** The block with its columns in the mode order of the written result; columns are shared. */
  private CooBlock written(CooBlock block) {
    Object[] columns = new Object[block.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      columns[writtenModes[mode]] =
          block.isWide(mode) ? block.longColumn(mode) : block.intColumn(mode);
    }
    return CooBlock.ofColumns(columns, block.values(), block.size());
  }
}
