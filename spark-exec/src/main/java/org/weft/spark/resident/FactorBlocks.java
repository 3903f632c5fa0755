package org.weft.spark.resident;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.weft.memory.NativeMemory;
import org.weft.tensor.TensorStorage;
import scala.Option;
import scala.reflect.ClassTag$;

/**
 * Rows of factors in Spark's block store, from which every process reads what it needs, straight
 * from the one that has it. Names begin with the number of a broadcast: the blocks go with it.
 */
public final class FactorBlocks {
  private static final int CHUNK_BYTES = 1 << 20;

  private FactorBlocks() {}

  private static BlockId name(long space, int range) {
    return new BroadcastBlockId(space, "_factor" + range);
  }

  /**
   * Stores the rows of a range.
   *
   * @param copies processes that are to have them, if there are so many
   */
  public static void put(long space, int range, TensorStorage rows, int copies) {
    long bytes = rows.vals().length() * rows.vals().type().bytes();
    ByteBuffer[] chunks = new ByteBuffer[Math.toIntExact((bytes + CHUNK_BYTES - 1) / CHUNK_BYTES)];
    for (int c = 0; c < chunks.length; c++) {
      long from = (long) c * CHUNK_BYTES;
      byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, bytes - from)];
      NativeMemory.copyToArray(rows.vals().address() + from, chunk, 0, chunk.length);
      chunks[c] = ByteBuffer.wrap(chunk);
    }
    StorageLevel level = StorageLevel.apply(true, true, true, false, copies);
    SparkEnv.get()
        .blockManager()
        .putBytes(
            name(space, range),
            new ChunkedByteBuffer(chunks),
            level,
            true,
            ClassTag$.MODULE$.apply(byte[].class));
  }

  /**
   * Copies bytes of a range's rows to memory.
   *
   * @return whether they came from another process
   */
  static boolean read(long space, int range, long skip, long bytes, long address) {
    BlockManager manager = SparkEnv.get().blockManager();
    BlockId name = name(space, range);
    try {
      Option<BlockData> local = manager.getLocalBytes(name);
      if (local.isDefined()) {
        try (InputStream in = local.get().toInputStream()) {
          copy(in, skip, bytes, address);
        } finally {
          manager.releaseLock(name, Option.empty());
        }
        return false;
      }
      Option<ChunkedByteBuffer> remote = manager.getRemoteBytes(name);
      if (remote.isEmpty()) {
        throw new FactorLost(name.name());
      }
      try (InputStream in = remote.get().toInputStream(true)) {
        copy(in, skip, bytes, address);
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read block " + name.name(), e);
    }
  }

  private static void copy(InputStream in, long skip, long bytes, long address) throws IOException {
    in.skipNBytes(skip);
    byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, bytes)];
    for (long done = 0; done < bytes; ) {
      int count = in.readNBytes(chunk, 0, (int) Math.min(chunk.length, bytes - done));
      if (count == 0) {
        throw new EOFException("a block of a factor ends after " + done + " of " + bytes);
      }
      NativeMemory.copyFromArray(chunk, 0, address + done, count);
      done += count;
    }
  }
}
