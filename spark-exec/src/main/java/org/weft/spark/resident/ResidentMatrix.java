package org.weft.spark.resident;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BroadcastBlockId;
import org.jspecify.annotations.Nullable;
import org.weft.planner.partition.SliceRange;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Off-heap copies of broadcast operands, one per process and operand. Blocks of rows are copied
 * when a partition of the process reads them first. A copy is freed when its broadcasts are
 * destroyed and the tasks that use it have ended.
 */
public final class ResidentMatrix {
  private static final Map<Long, ResidentMatrix> COPIES = new HashMap<>();

  private final ResidentMemory.Entry entry;
  private final TensorStorage storage;
  private final AtomicReference<@Nullable BlockId> fetched;
  private final BitSet filled = new BitSet();

  private ResidentMatrix(
      ResidentMemory.Entry entry,
      TensorStorage storage,
      AtomicReference<@Nullable BlockId> fetched) {
    this.entry = entry;
    this.storage = storage;
    this.fetched = fetched;
  }

  /**
   * A copy that the running task may use.
   *
   * @param fetchedRows rows that came to this process for this lease
   */
  public record Lease(TensorStorage storage, long fetchedRows) {}

  /**
   * The copy of {@code operand} as a dense storage of all its rows, of which those of {@code
   * blocks} are there; leased to the running task.
   *
   * @param vector whether the matrix has one column and is meant as a vector
   */
  public static Lease lease(
      OperandRows operand, boolean vector, ValueType valueType, BitSet blocks) {
    long key = operand.blocks().get(0).id();
    synchronized (COPIES) {
      COPIES.values().removeIf(copy -> copy.storage.scope().isClosed());
      ResidentMatrix copy = COPIES.get(key);
      if (copy == null || !ResidentMemory.PROCESS.tryLease(copy.entry)) {
        copy = empty(operand, vector, valueType);
        COPIES.put(key, copy);
      }
      return new Lease(copy.storage, copy.fill(operand, blocks, valueType));
    }
  }

  /** As {@link #lease}, of the rows of {@code range} alone. */
  public static Lease leaseRows(
      OperandRows operand, boolean vector, ValueType valueType, SliceRange range) {
    BitSet blocks = new BitSet();
    if (range.slices() > 0) {
      int last = (int) ((range.to() - 1) / operand.blockRows());
      blocks.set((int) (range.from() / operand.blockRows()), last + 1);
    }
    Lease whole = lease(operand, vector, valueType, blocks);
    long rowBytes = (long) operand.columns() * valueType.bytes();
    TensorStorage rows =
        TensorStorage.denseView(
            TaskMemory.ofTask().scope(),
            shape(vector, range.slices(), operand.columns()),
            valueType,
            whole.storage().vals().address() + range.from() * rowBytes);
    return new Lease(rows, whole.fetchedRows());
  }

  private static TensorShape shape(boolean vector, long rows, int columns) {
    return vector ? TensorShape.of(rows) : TensorShape.of(rows, columns);
  }

  /** Gives up this process's copy of {@code operand}, if it has one. */
  static void retire(OperandRows operand) {
    synchronized (COPIES) {
      ResidentMatrix copy = COPIES.remove(operand.blocks().get(0).id());
      if (copy != null) {
        ResidentMemory.PROCESS.retire(copy.entry);
      }
    }
  }

  private static ResidentMatrix empty(OperandRows operand, boolean vector, ValueType valueType) {
    BlockManager manager = SparkEnv.get().blockManager();
    AtomicReference<@Nullable BlockId> fetched = new AtomicReference<>();
    BooleanSupplier wanted =
        () -> {
          BlockId block = fetched.get();
          return block != null && ResidentMemory.isKnown(manager, block);
        };
    String what = "an operand of " + operand.rows() + " x " + operand.columns();
    BlockId first = new BroadcastBlockId(operand.blocks().get(0).id(), "");
    ResidentMemory.Entry entry = ResidentMemory.PROCESS.open(first, what, wanted);
    TensorShape shape = shape(vector, operand.rows(), operand.columns());
    TensorStorage rows =
        TensorStorage.denseUninitialized(
            entry.scope(), shape, TensorFormat.dense(shape.order(), valueType));
    return new ResidentMatrix(entry, rows, fetched);
  }

  /** Copies the blocks that are not there yet; returns their rows. */
  private long fill(OperandRows operand, BitSet blocks, ValueType valueType) {
    long rows = 0;
    for (int b = blocks.nextSetBit(0); b >= 0; b = blocks.nextSetBit(b + 1)) {
      if (filled.get(b)) {
        continue;
      }
      DenseMatrix block = operand.blocks().get(b).value();
      long first = b * operand.blockRows() * operand.columns();
      long address = storage.vals().address() + first * storage.vals().type().bytes();
      if (valueType == ValueType.FLOAT) {
        block.copyToFloats(address);
      } else {
        block.copyTo(address);
      }
      filled.set(b);
      fetched.compareAndSet(null, new BroadcastBlockId(operand.blocks().get(b).id(), ""));
      rows += block.rows();
    }
    return rows;
  }
}
