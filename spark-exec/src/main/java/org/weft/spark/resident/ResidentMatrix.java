package org.weft.spark.resident;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BroadcastBlockId;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Off-heap copies of broadcast matrices, one per process and broadcast. A copy is freed when its
 * broadcast is destroyed and the tasks that use it have ended.
 */
public final class ResidentMatrix {
  private static final Map<BlockId, ResidentMatrix> COPIES = new HashMap<>();

  private final ResidentMemory.Entry entry;
  private final TensorStorage storage;

  private ResidentMatrix(ResidentMemory.Entry entry, TensorStorage storage) {
    this.entry = entry;
    this.storage = storage;
  }

  /**
   * The copy of {@code broadcast} as a dense storage, leased to the running task.
   *
   * @param vector whether the matrix has one column and is meant as a vector
   */
  public static TensorStorage lease(
      Broadcast<DenseMatrix> broadcast, boolean vector, ValueType valueType) {
    BlockId block = new BroadcastBlockId(broadcast.id(), "");
    synchronized (COPIES) {
      COPIES.values().removeIf(copy -> copy.storage.scope().isClosed());
      ResidentMatrix copy = COPIES.get(block);
      if (copy == null || !ResidentMemory.PROCESS.tryLease(copy.entry)) {
        copy = copy(block, broadcast.value(), vector, valueType);
        COPIES.put(block, copy);
      }
      return copy.storage;
    }
  }

  private static ResidentMatrix copy(
      BlockId block, DenseMatrix matrix, boolean vector, ValueType valueType) {
    BlockManager blocks = SparkEnv.get().blockManager();
    BooleanSupplier wanted = () -> blocks.getStatus(block).isDefined();
    String what = "a factor matrix of " + matrix.rows() + " x " + matrix.columns();
    ResidentMemory.Entry entry = ResidentMemory.PROCESS.open(block, what, wanted);
    TensorShape shape =
        vector ? TensorShape.of(matrix.rows()) : TensorShape.of(matrix.rows(), matrix.columns());
    TensorStorage storage = TensorStorage.dense(entry.scope(), shape, valueType);
    if (valueType == ValueType.FLOAT) {
      matrix.copyToFloats(storage.vals().address());
    } else {
      matrix.copyTo(storage.vals().address());
    }
    return new ResidentMatrix(entry, storage);
  }
}
