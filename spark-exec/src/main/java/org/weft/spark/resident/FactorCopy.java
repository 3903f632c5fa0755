package org.weft.spark.resident;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.spark.storage.BlockId;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * This process's copy of a factor, off the heap: all rows have their place, and those that
 * partitions of this process read are there. One per decomposition and mode; newer versions replace
 * older ones in place, when no task reads those any more. It is freed when the decomposition ends.
 */
public final class FactorCopy {
  private static final Map<Key, FactorCopy> COPIES = new HashMap<>();

  private final ResidentMemory.Entry entry;
  private final TensorStorage storage;
  private final BitSet filled = new BitSet();
  private long version = -1;
  private int readers;

  private record Key(long decomposition, int mode) {}

  /**
   * A copy that the running task may use.
   *
   * @param fetchedRows rows that came to this process for this lease
   */
  public record Lease(TensorStorage storage, long fetchedRows) {}

  private FactorCopy(ResidentMemory.Entry entry, TensorStorage storage) {
    this.entry = entry;
    this.storage = storage;
  }

  /**
   * The copy with some rows as {@code wanted} has them; leased to the running task.
   *
   * @param decomposition is there as long as the decomposition runs
   * @param needed units of {@code wanted}
   */
  public static Lease lease(BlockSpace decomposition, FactorVersion wanted, BitSet needed) {
    FactorCopy copy;
    synchronized (COPIES) {
      COPIES.values().removeIf(other -> other.storage.scope().isClosed());
      Key key = new Key(decomposition.number(), wanted.mode());
      FactorCopy known = COPIES.get(key);
      if (known == null || !ResidentMemory.PROCESS.tryLease(known.entry)) {
        known = empty(decomposition, wanted);
        COPIES.put(key, known);
      }
      copy = known;
    }
    return new Lease(copy.storage, copy.read(wanted, needed));
  }

  private static FactorCopy empty(BlockSpace decomposition, FactorVersion wanted) {
    BooleanSupplier running = decomposition.isThere();
    String what =
        "the factor of mode " + wanted.mode() + ", " + wanted.rows() + " x " + wanted.columns();
    BlockId name = decomposition.block("_mode" + wanted.mode());
    ResidentMemory.Entry entry = ResidentMemory.PROCESS.open(name, what, running);
    TensorShape shape = TensorShape.of(wanted.rows(), wanted.columns());
    return new FactorCopy(
        entry,
        TensorStorage.denseUninitialized(
            entry.scope(), shape, TensorFormat.dense(2, wanted.type())));
  }

  /** Fills what is missing of the rows; the running task reads from now to its end. */
  private synchronized long read(FactorVersion wanted, BitSet needed) {
    while (version < wanted.number() && readers > 0) {
      awaitReaders();
    }
    if (version > wanted.number()) {
      throw new IllegalStateException(
          "a task of an earlier update of mode " + wanted.mode() + " came too late");
    }
    if (version < wanted.number()) {
      version = wanted.number();
      filled.clear();
    }
    BitSet missing = (BitSet) needed.clone();
    missing.andNot(filled);
    long fetched = wanted.copy(missing, storage.vals().address());
    filled.or(missing);
    readers++;
    RunningWork.atEnd("a copy of a factor is not available", this::leave);
    return fetched;
  }

  private synchronized void leave() {
    readers--;
    notifyAll();
  }

  private void awaitReaders() {
    try {
      wait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a factor was read by other tasks", e);
    }
  }
}
