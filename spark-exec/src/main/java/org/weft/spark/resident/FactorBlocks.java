package org.weft.spark.resident;

import io.netty.buffer.ByteBuf;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.ByteBufferBlockData;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.weft.decomposition.rows.RowBlocks;
import org.weft.memory.NativeMemory;
import org.weft.runtime.NativeRuntime;
import org.weft.spark.exchange.Question;
import org.weft.spark.exchange.RowExchange;
import org.weft.spark.exchange.RowPlace;
import org.weft.spark.exchange.RowRuns;
import org.weft.tensor.TensorStorage;
import scala.Option;
import scala.Tuple2;
import scala.collection.JavaConverters;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag$;

/**
 * Rows of factors, kept in the block store of the process that computed them. Other processes fetch
 * the rows that they need from there. The blocks of a version of a factor have a {@link
 * BlockSpace}. Spark's driver does not know these blocks: each step says where its rows are.
 */
public final class FactorBlocks {
  /** Bytes of the rows that a question asks for, but for the last of them. */
  static final int ANSWER_BYTES = 1 << 20;

  private static final int HEAD_BYTES = 2 * Long.BYTES + 2 * Integer.BYTES + 1;

  private FactorBlocks() {}

  private static BlockId name(long space, int range, long block) {
    return new BlockSpace(space).block("_factor" + range + "_" + block);
  }

  /** Rows of every block of a range, but for the last one. */
  public static long blockRows(long rowBytes) {
    return RowBlocks.blockRows(rowBytes);
  }

  /** Stores the rows of a range, which are a matrix. */
  public static void put(long space, int range, TensorStorage rows) {
    long count = rows.shape().size(0);
    long rowBytes = rows.shape().size(1) * rows.vals().type().bytes();
    Writer writer = new Writer(space, range, count, rowBytes);
    for (long row = 0; row < count; ) {
      long end = writer.end(row);
      long source = rows.vals().address() + row * rowBytes;
      NativeMemory.copy(source, writer.address(row), (end - row) * rowBytes);
      writer.written(end);
      row = end;
    }
  }

  /** Makes the rows of a range where they are stored, from the first to the last. */
  public static final class Writer {
    private final long space;
    private final int range;
    private final long count;
    private final long rowBytes;
    private final long blockRows;
    private ByteBuffer block = ByteBuffer.allocate(0);

    /**
     * @param count of the rows
     */
    public Writer(long space, int range, long count, long rowBytes) {
      this.space = space;
      this.range = range;
      this.count = count;
      this.rowBytes = rowBytes;
      this.blockRows = blockRows(rowBytes);
    }

    /** Where the block ends that a row is in. */
    public long end(long row) {
      return Math.min(count, (row / blockRows + 1) * blockRows);
    }

    /** Memory of the rows from here to the end of the block. */
    public long address(long row) {
      if (row % blockRows == 0) {
        block = Platform.allocateDirectBuffer(Math.toIntExact((end(row) - row) * rowBytes));
        NativeRuntime.advise(NativeMemory.address(block), block.capacity());
      }
      return NativeMemory.address(block) + row % blockRows * rowBytes;
    }

    /** All rows before this one are in memory: stores the block if it is whole. */
    public void written(long end) {
      if (end == end(end - 1)) {
        put(name(space, range, (end - 1) / blockRows), block);
      }
    }
  }

  static void put(BlockId name, ByteBuffer block) {
    SparkEnv.get()
        .blockManager()
        .putBytes(
            name,
            new ChunkedByteBuffer(new ByteBuffer[] {block}),
            StorageLevel.apply(true, true, true, false, 1),
            false,
            ClassTag$.MODULE$.apply(byte[].class));
  }

  /** Where others find what this process stores. */
  public static RowPlace here() {
    return RowExchange.isAlone()
        ? new RowPlace(SparkEnv.get().executorId(), "", 0)
        : exchange().here();
  }

  /** This process's end of the exchange. */
  public static RowExchange exchange() {
    return RowExchange.ofProcess(FactorBlocks::answer);
  }

  /** A task for each range, preferably at its place. */
  @SuppressWarnings("unchecked") // Spark's tags of classes have no int that is not primitive
  public static JavaRDD<Integer> ranges(JavaSparkContext context, Map<Integer, RowPlace> places) {
    List<Tuple2<Object, Seq<String>>> tasks = new ArrayList<>();
    places.forEach(
        (range, place) -> {
          List<String> best = place.port() == 0 ? List.of() : List.of(place.location());
          tasks.add(new Tuple2<>(range, JavaConverters.asScalaBuffer(best).toSeq()));
        });
    JavaRDD<?> ranges =
        context
            .sc()
            .makeRDD(
                JavaConverters.asScalaBuffer(tasks).toSeq(), ClassTag$.MODULE$.apply(Object.class))
            .toJavaRDD();
    return (JavaRDD<Integer>) ranges;
  }

  /**
   * Copies rows of a range that this process has to memory, block by block.
   *
   * @param from the first of them, counted in the range
   */
  static void read(long space, int range, long from, long count, long rowBytes, long address) {
    long blockRows = blockRows(rowBytes);
    for (long row = from; row < from + count; ) {
      long end = Math.min(from + count, (row / blockRows + 1) * blockRows);
      long target = address + (row - from) * rowBytes;
      long skip = row % blockRows * rowBytes;
      long bytes = (end - row) * rowBytes;
      use(name(space, range, row / blockRows), block -> copy(block, skip, bytes, target));
      row = end;
    }
  }

  /** What is done with a block while nobody removes it. */
  private interface Use {
    void block(BlockData block) throws IOException;
  }

  private static void use(BlockId name, Use use) {
    BlockManager manager = SparkEnv.get().blockManager();
    Option<BlockData> local = manager.getLocalBytes(name);
    if (local.isEmpty()) {
      throw new FactorLost(name.name());
    }
    try {
      use.block(local.get());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read block " + name.name(), e);
    } finally {
      manager.releaseLock(name, Option.empty());
    }
  }

  /**
   * Asks for rows of one block.
   *
   * @param rows counted in the block
   * @param nonzero whether rows of zeros need not be sent
   * @param address of the block's first row, where its other rows would be, too
   */
  static Question question(
      RowPlace place,
      long space,
      int range,
      long block,
      RowRuns rows,
      boolean nonzero,
      int rowBytes,
      long address) {
    ByteBuffer message = ByteBuffer.allocate(HEAD_BYTES + rows.mostBytes());
    message.putLong(space).putInt(range).putLong(block).putInt(rowBytes);
    message.put((byte) (nonzero ? 1 : 0));
    rows.writeTo(message);
    return new Question(
        place, message.flip(), new ArrivingRows(nonzero ? null : rows, rowBytes, address));
  }

  /** Answers a question: {@link ArrivingRows} takes it. */
  private static ByteBuf answer(ByteBuffer message) {
    try {
      BlockId name = name(message.getLong(), message.getInt(), message.getLong());
      int rowBytes = message.getInt();
      boolean nonzero = message.get() != 0;
      RowRuns asked = RowRuns.readFrom(message);
      ByteBuf[] answer = new ByteBuf[1];
      use(name, block -> answer[0] = answer(block.toByteBuffer(), asked, nonzero, rowBytes));
      return answer[0];
    } catch (RuntimeException e) {
      return ArrivingRows.refusal(e);
    }
  }

  static ByteBuf answer(ByteBuffer all, RowRuns asked, boolean nonzero, int rowBytes) {
    if (rowBytes <= 0 || rowBytes % Integer.BYTES != 0) {
      throw new IllegalStateException(
          "expected rows of a positive number of words of 4 bytes, found " + rowBytes + " bytes");
    }
    if ((long) asked.end() * rowBytes > all.remaining()) {
      throw new IllegalStateException("a block has " + all.remaining() + " bytes, too few");
    }
    ByteBuf[] answer = new ByteBuf[1];
    useDirect(all, block -> answer[0] = answer(block, asked, nonzero, rowBytes));
    return answer[0];
  }

  private static ByteBuf answer(long block, RowRuns asked, boolean nonzero, int rowBytes) {
    RowRuns rows = nonzero ? nonzero(block, asked, rowBytes) : asked;
    ByteBuf answer = ArrivingRows.answer(nonzero ? rows : null, rows.rows() * rowBytes);
    ByteBuffer into = answer.nioBuffer(answer.writerIndex(), rows.rows() * rowBytes);
    rows.gather(rowBytes, block, NativeMemory.address(into) + into.position());
    return answer.writerIndex(answer.writerIndex() + rows.rows() * rowBytes);
  }

  /** Those of the rows that have a number other than zero. */
  private static RowRuns nonzero(long block, RowRuns asked, int rowBytes) {
    RowRuns found = new RowRuns();
    asked.forEach(
        (first, count, before) -> {
          for (int row = first; row < first + count; row++) {
            if (!isZero(block + (long) row * rowBytes, rowBytes)) {
              found.add(row, 1);
            }
          }
        });
    return found;
  }

  private static boolean isZero(long address, int bytes) {
    for (int at = 0; at < bytes; at += Integer.BYTES) {
      if (NativeMemory.getInt(address + at) != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Asks all of them, and waits for the answers.
   *
   * @return bytes of the rows that came
   */
  static long ask(List<Question> questions) {
    if (questions.isEmpty()) {
      return 0;
    }
    try {
      exchange().ask(questions);
    } catch (IOException e) {
      throw new FactorLost(e);
    }
    return questions.stream().mapToLong(asked -> ((ArrivingRows) asked.taker()).bytes()).sum();
  }

  /**
   * Uses the address of a buffer's remaining bytes, or of a copy of them if they are in the heap.
   */
  static void useDirect(ByteBuffer bytes, LongConsumer use) {
    if (bytes.isDirect()) {
      use.accept(NativeMemory.address(bytes) + bytes.position());
      return;
    }
    ByteBuffer copy = ByteBuffer.allocateDirect(bytes.remaining());
    try {
      copy.put(bytes.duplicate());
      use.accept(NativeMemory.address(copy));
    } finally {
      NativeMemory.free(copy);
    }
  }

  private static void copyFrom(ByteBuffer answer, int skip, long address, int bytes) {
    if (answer.isDirect()) {
      long source = NativeMemory.address(answer) + answer.position() + skip;
      NativeMemory.copy(source, address, bytes);
    } else {
      int at = answer.arrayOffset() + answer.position() + skip;
      NativeMemory.copyFromArray(answer.array(), at, address, bytes);
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
      byte[] chunk = new byte[(int) Math.min(ANSWER_BYTES, bytes)];
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
      copyFrom(chunk, from, address + done, count);
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
