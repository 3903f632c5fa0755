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
  /** Most bytes of a block, but for a row that is longer: what a reader elsewhere takes at once. */
  private static final int BLOCK_BYTES = 1 << 23;

  private FactorBlocks() {}

  private static BlockId name(long space, int range, long block) {
    return new BroadcastBlockId(space, "_factor" + range + "_" + block);
  }

  /** Rows of every block of a range, but for the last one. */
  public static long blockRows(long rowBytes) {
    return Math.max(1, BLOCK_BYTES / Math.max(1, rowBytes));
  }

  /**
   * Stores the rows of a range.
   *
   * @param rows a matrix
   * @param copies processes that are to have them, if there are so many
   */
  public static void put(long space, int range, TensorStorage rows, int copies) {
    long count = rows.shape().size(0);
    long rowBytes = rows.shape().size(1) * rows.vals().type().bytes();
    long blockRows = blockRows(rowBytes);
    for (long row = 0; row < count; row += blockRows) {
      int bytes = Math.toIntExact(Math.min(blockRows, count - row) * rowBytes);
      ByteBuffer block = Platform.allocateDirectBuffer(bytes);
      long source = rows.vals().address() + row * rowBytes;
      NativeMemory.copy(source, NativeMemory.address(block), bytes);
      put(name(space, range, row / blockRows), block, copies);
    }
  }

  private static void put(BlockId name, ByteBuffer block, int copies) {
    SparkEnv.get()
        .blockManager()
        .putBytes(
            name,
            new ChunkedByteBuffer(new ByteBuffer[] {block}),
            StorageLevel.apply(true, true, true, false, copies),
            true,
            ClassTag$.MODULE$.apply(byte[].class));
  }

  /** A task for each range, preferably in a process that has its first block. */
  public static JavaRDD<Integer> ranges(JavaSparkContext context, long space, int count) {
    BlockId[] names = new BlockId[count];
    Arrays.setAll(names, range -> name(space, range, 0));
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
   * Copies rows of a range to memory, block by block.
   *
   * @param from the first of them, counted in the range
   * @return whether some came from another process
   */
  static boolean read(long space, int range, long from, long count, long rowBytes, long address) {
    long blockRows = blockRows(rowBytes);
    boolean fetched = false;
    for (long row = from; row < from + count; ) {
      long end = Math.min(from + count, (row / blockRows + 1) * blockRows);
      fetched |=
          read(
              name(space, range, row / blockRows),
              row % blockRows * rowBytes,
              (end - row) * rowBytes,
              address + (row - from) * rowBytes);
      row = end;
    }
    return fetched;
  }

  private static boolean read(BlockId name, long skip, long bytes, long address) {
    BlockManager manager = SparkEnv.get().blockManager();
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
      byte[] chunk = new byte[(int) Math.min(BLOCK_BYTES, bytes)];
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
