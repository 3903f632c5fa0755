package org.weft.storage.binary;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.SourceFile;
import org.weft.tensor.TensorShape;

/**
 * Header and footer of a {@code .wtb} file: what is known before and after the blocks.
 * Little-endian.
 *
 * <pre>
 * header := "WEFTWTB\n" | u32 version | u32 order | u32 valueType | u32 CRC32C of the 20 bytes before
 * footer := order x i64 size | i64 entries | u32 blocks | blocks x { i64 offset, i32 bytes, i32 entries }
 *           | u32 sections | sections x { u32 kind, u32 mode, i64 offset, i64 bytes, u32 CRC32C }
 * tail   := u32 footerBytes | u32 CRC32C of the footer | "WEFTEND\n"
 * </pre>
 */
record WtbFooter(TensorShape shape, long entries, List<Block> blocks, List<Section> sections) {
  static final byte[] MAGIC = {'W', 'E', 'F', 'T', 'W', 'T', 'B', '\n'};
  static final byte[] END = {'W', 'E', 'F', 'T', 'E', 'N', 'D', '\n'};
  static final int VERSION = 1;
  static final int HEADER_BYTES = 24;
  static final int TAIL_BYTES = 16;
  static final int LABELS = 1;
  static final int MAX_ORDER = 4096;
  private static final int BLOCK_BYTES = 16;
  private static final int SECTION_BYTES = 28;

  /** Where a block is. */
  record Block(long offset, int bytes, int entries) {}

  /** Where something that is not entries is; readers pass over kinds that they do not know. */
  record Section(int kind, int mode, long offset, long bytes, int check) {}

  static byte[] header(int order) {
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).putInt(VERSION).putInt(order).putInt(0);
    out.putInt(WtbBlock.checkSum(out.array(), 0, out.position()));
    return out.array();
  }

  /** Footer and tail. */
  byte[] encode() {
    int order = shape.order();
    int bytes =
        Math.addExact(
            Long.BYTES * order + 16 + SECTION_BYTES * sections.size(),
            Math.multiplyExact(BLOCK_BYTES, blocks.size()));
    ByteBuffer out = ByteBuffer.allocate(bytes + TAIL_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int mode = 0; mode < order; mode++) {
      out.putLong(shape.size(mode));
    }
    out.putLong(entries).putInt(blocks.size());
    for (Block block : blocks) {
      out.putLong(block.offset).putInt(block.bytes).putInt(block.entries);
    }
    out.putInt(sections.size());
    for (Section s : sections) {
      out.putInt(s.kind).putInt(s.mode).putLong(s.offset).putLong(s.bytes).putInt(s.check);
    }
    int check = WtbBlock.checkSum(out.array(), 0, bytes);
    return out.putInt(bytes).putInt(check).put(END).array();
  }

  /** Reads and checks header and footer. */
  static WtbFooter read(SourceFile file) throws IOException {
    int order = readOrder(file);
    long length = file.length();
    if (length < HEADER_BYTES + TAIL_BYTES) {
      throw truncated(file);
    }
    ByteBuffer tail = bytes(file, length - TAIL_BYTES, TAIL_BYTES);
    if (!Arrays.equals(tail.array(), 8, TAIL_BYTES, END, 0, END.length)) {
      throw truncated(file);
    }
    long footerBytes = tail.getInt(0);
    if (footerBytes < 0 || footerBytes > length - HEADER_BYTES - TAIL_BYTES) {
      throw corrupt(file, "a footer of " + footerBytes + " bytes", length - TAIL_BYTES);
    }
    long at = length - TAIL_BYTES - footerBytes;
    ByteBuffer footer = bytes(file, at, (int) footerBytes);
    int check = WtbBlock.checkSum(footer.array(), 0, footer.capacity());
    if (check != tail.getInt(4)) {
      throw mismatch(file, "the footer", at, tail.getInt(4), check);
    }
    try {
      return decode(footer, order, at);
    } catch (java.nio.BufferUnderflowException | IllegalArgumentException e) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          file.uri()
              + ": expected a .wtb file, found a footer whose parts do not fit, at byte "
              + at,
          e);
    }
  }

  private static WtbFooter decode(ByteBuffer in, int order, long end) {
    long[] sizes = new long[order];
    for (int mode = 0; mode < order; mode++) {
      sizes[mode] = in.getLong();
    }
    long entries = in.getLong();
    Block[] blocks = new Block[count(in, BLOCK_BYTES)];
    long next = HEADER_BYTES;
    long sum = 0;
    for (int b = 0; b < blocks.length; b++) {
      blocks[b] = new Block(in.getLong(), in.getInt(), in.getInt());
      require(blocks[b].offset == next && blocks[b].bytes > 0 && blocks[b].entries > 0);
      next += blocks[b].bytes;
      sum += blocks[b].entries;
    }
    Section[] sections = new Section[count(in, SECTION_BYTES)];
    for (int s = 0; s < sections.length; s++) {
      sections[s] = new Section(in.getInt(), in.getInt(), in.getLong(), in.getLong(), in.getInt());
      long bytes = sections[s].bytes;
      long offset = sections[s].offset;
      require(offset >= next && bytes >= 0 && bytes <= end && offset <= end - bytes);
    }
    require(next <= end && sum == entries);
    return new WtbFooter(TensorShape.of(sizes), entries, List.of(blocks), List.of(sections));
  }

  private static int count(ByteBuffer in, int each) {
    int count = in.getInt();
    require(count >= 0 && count <= in.remaining() / each);
    return count;
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new IllegalArgumentException("inconsistent footer");
    }
  }

  private static int readOrder(SourceFile file) throws IOException {
    ByteBuffer header = bytes(file, 0, (int) Math.min(HEADER_BYTES, file.length()));
    int there = Math.min(header.capacity(), MAGIC.length);
    if (!Arrays.equals(header.array(), 0, there, MAGIC, 0, there)) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          file.uri() + ": expected the magic bytes of a .wtb file, found others");
    }
    if (header.capacity() < HEADER_BYTES) {
      throw truncated(file);
    }
    int check = WtbBlock.checkSum(header.array(), 0, HEADER_BYTES - 4);
    if (check != header.getInt(HEADER_BYTES - 4)) {
      throw mismatch(file, "the header", 0, header.getInt(HEADER_BYTES - 4), check);
    }
    int version = header.getInt(8);
    int order = header.getInt(12);
    if (version != VERSION || header.getInt(16) != 0) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          file.uri()
              + ": expected .wtb version 1 with double values, found version "
              + version
              + ", value type "
              + header.getInt(16)
              + "; it was written by a newer Weft");
    }
    if (order < 1 || order > MAX_ORDER) {
      throw corrupt(file, "order " + order, 12);
    }
    return order;
  }

  static ByteBuffer bytes(SourceFile file, long offset, int count) throws IOException {
    try (InputStream in = file.open(offset)) {
      byte[] bytes = in.readNBytes(count);
      if (bytes.length < count) {
        throw truncated(file);
      }
      return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  static WeftException truncated(SourceFile file) {
    return new WeftException(
        ErrorCode.TRUNCATED_INPUT,
        file.uri()
            + ": expected a complete .wtb file, found one without its end ("
            + file.length()
            + " bytes); it is truncated: copy or write it again");
  }

  static WeftException corrupt(SourceFile file, String found, long offset) {
    return new WeftException(
        ErrorCode.CORRUPT_INPUT,
        file.uri() + ": expected a .wtb file, found " + found + " at byte " + offset);
  }

  static WeftException mismatch(
      SourceFile file, String what, long offset, int expected, int found) {
    return new WeftException(
        ErrorCode.CORRUPT_INPUT,
        String.format(
            Locale.ROOT,
            "%s: expected CRC32C %08x for %s at byte %d, found %08x; the file is corrupt, copy or"
                + " write it again",
            file.uri(),
            expected,
            what,
            offset,
            found));
  }
}
