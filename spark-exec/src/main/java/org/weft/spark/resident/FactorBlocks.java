package org.weft.spark.resident;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.ByteBufferBlockData;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.weft.memory.NativeMemory;
import org.weft.tensor.TensorStorage;
import scala.Option;
import scala.Tuple2;
import scala.collection.JavaConverters;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag$;

/**
 * Rows of factors in Spark's block store, from which every process reads what it needs, straight
 * from the one that has it. Names begin with the number of a broadcast: the blocks go with it.
 */
public final class FactorBlocks {
  private static final int CHUNK_BYTES = 1 << 24;

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
      chunks[c] = Platform.allocateDirectBuffer((int) Math.min(CHUNK_BYTES, bytes - from));
      long address = NativeMemory.address(chunks[c]);
      NativeMemory.copy(rows.vals().address() + from, address, chunks[c].capacity());
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

  /** A task for each range, preferably in a process that has its block. */
  public static JavaRDD<Integer> ranges(JavaSparkContext context, long space, int count) {
    BlockId[] names = new BlockId[count];
    Arrays.setAll(names, range -> name(space, range));
    List<Seq<BlockManagerId>> found =
        JavaConverters.seqAsJavaList(SparkEnv.get().blockManager().master().getLocations(names));
    List<Tuple2<Object, Seq<String>>> tasks = new ArrayList<>();
    for (int range = 0; range < count; range++) {
      List<String> places = new ArrayList<>();
      for (BlockManagerId process : JavaConverters.seqAsJavaList(found.get(range))) {
        places.add("executor_" + process.host() + "_" + process.executorId());
      }
      tasks.add(new Tuple2<>(range, JavaConverters.asScalaBuffer(places).toSeq()));
    }
    return context
        .sc()
        .makeRDD(JavaConverters.asScalaBuffer(tasks).toSeq(), ClassTag$.MODULE$.apply(Object.class))
        .toJavaRDD()
        .map(range -> (Integer) range);
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
        try {
          copy(local.get(), skip, bytes, address);
        } finally {
          manager.releaseLock(name, Option.empty());
        }
        return false;
      }
      Option<ChunkedByteBuffer> remote = manager.getRemoteBytes(name);
      if (remote.isEmpty()) {
        throw new FactorLost(name.name());
      }
      copy(remote.get().getChunks(), skip, bytes, address);
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read block " + name.name(), e);
    }
  }

  private static void copy(BlockData block, long skip, long bytes, long address)
      throws IOException {
    if (block instanceof ByteBufferBlockData inMemory) {
      copy(inMemory.buffer().getChunks(), skip, bytes, address);
      return;
    }
    try (InputStream in = block.toInputStream()) {
      in.skipNBytes(skip);
      byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, bytes)];
      for (long done = 0; done < bytes; ) {
        int count = in.readNBytes(chunk, 0, (int) Math.min(chunk.length, bytes - done));
        if (count == 0) {
          throw tooShort(done, bytes);
        }
        NativeMemory.copyFromArray(chunk, 0, address + done, count);
        done += count;
      }
    }
  }

  private static void copy(ByteBuffer[] chunks, long skip, long bytes, long address)
      throws IOException {
    long skipped = skip;
    long done = 0;
    for (ByteBuffer chunk : chunks) {
      int from = (int) Math.min(chunk.remaining(), skipped);
      skipped -= from;
      int count = (int) Math.min(chunk.remaining() - from, bytes - done);
      if (chunk.isDirect()) {
        long source = NativeMemory.address(chunk) + chunk.position() + from;
        NativeMemory.copy(source, address + done, count);
      } else {
        int at = chunk.arrayOffset() + chunk.position() + from;
        NativeMemory.copyFromArray(chunk.array(), at, address + done, count);
      }
      done += count;
    }
    if (done < bytes) {
      throw tooShort(done, bytes);
    }
  }

  private static EOFException tooShort(long found, long expected) {
    return new EOFException("a block of a factor ends after " + found + " of " + expected);
  }
}
