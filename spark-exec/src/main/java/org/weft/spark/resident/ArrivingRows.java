package org.weft.spark.resident;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.network.util.NettyUtils;
import org.jspecify.annotations.Nullable;
import org.weft.spark.exchange.Question;
import org.weft.spark.exchange.RowRuns;

/**
 * Puts the rows of one answer where they belong, while the bytes come. An answer is a byte that
 * tells rows from a refusal, the length of its head, the head, and rows. The head is which rows
 * come, if the asker does not know, or why none do.
 */
final class ArrivingRows implements Question.Taker {
  private static final byte ROWS = 0;
  private static final byte REFUSAL = 1;
  private static final int FIXED_BYTES = 1 + Integer.BYTES;

  private final @Nullable RowRuns asked;
  private final int rowBytes;
  private final long address;
  private ByteBuffer head = ByteBuffer.allocate(FIXED_BYTES);
  private @Nullable RowRuns coming;
  private long done;
  private long taken;

  /**
   * @param asked the rows that come; null if the answer says which
   * @param address of row 0, were it to come
   */
  ArrivingRows(@Nullable RowRuns asked, int rowBytes, long address) {
    this.asked = asked;
    this.rowBytes = rowBytes;
    this.address = address;
  }

  /**
   * The beginning of an answer.
   *
   * @param rows which come; null if the asker knows
   * @param bytes of all rows, which have room
   */
  static ByteBuf answer(@Nullable RowRuns rows, int bytes) {
    if (rows == null) {
      return begin(ROWS, new byte[0], 0, bytes);
    }
    ByteBuffer head = ByteBuffer.allocate(rows.mostBytes());
    rows.writeTo(head);
    return begin(ROWS, head.array(), head.position(), bytes);
  }

  /** The answer that there are no rows, and why. */
  static ByteBuf refusal(Throwable why) {
    byte[] words = why.toString().getBytes(StandardCharsets.UTF_8);
    return begin(REFUSAL, words, words.length, 0);
  }

  private static ByteBuf begin(byte kind, byte[] head, int headBytes, int bytes) {
    return NettyUtils.getSharedPooledByteBufAllocator(true, true)
        .directBuffer(FIXED_BYTES + headBytes + bytes)
        .writeByte(kind)
        .writeInt(headBytes)
        .writeBytes(head, 0, headBytes);
  }

  @Override
  public void take(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      if (coming == null) {
        takeHead(bytes);
      } else {
        takeRows(bytes, coming);
      }
    }
  }

  private void takeHead(ByteBuffer bytes) {
    int count = Math.min(head.remaining(), bytes.remaining());
    head.put(bytes.slice(bytes.position(), count));
    bytes.position(bytes.position() + count);
    if (!head.hasRemaining() && head.capacity() == FIXED_BYTES) {
      int more = head.getInt(1);
      head = ByteBuffer.allocate(FIXED_BYTES + more).put(head.flip());
    }
    if (!head.hasRemaining()) {
      coming = coming(head.flip());
    }
  }

  private RowRuns coming(ByteBuffer head) {
    byte kind = head.get();
    ByteBuffer rest = head.position(FIXED_BYTES);
    if (kind != ROWS) {
      throw new IllegalStateException(StandardCharsets.UTF_8.decode(rest).toString());
    }
    return asked == null ? RowRuns.readFrom(rest) : asked;
  }

  private void takeRows(ByteBuffer bytes, RowRuns rows) {
    int count = bytes.remaining();
    taken += count;
    FactorBlocks.useDirect(
        bytes, packed -> done = rows.scatter(rowBytes, address, packed, count, done));
    bytes.position(bytes.limit());
  }

  /** Bytes of the rows that came. */
  long bytes() {
    return taken;
  }

  @Override
  public void end() {
    if (coming == null || !coming.isAll(done)) {
      throw new IllegalStateException("an answer ends before its rows");
    }
  }
}
