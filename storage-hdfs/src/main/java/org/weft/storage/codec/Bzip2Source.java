package org.weft.storage.codec;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.WeftException;

/**
 * The bytes of a bzip2 file, from the first block that starts in a byte range to the end of the
 * file; {@link #boundary} tells where the blocks of the range end.
 *
 * <pre>
 * file   := { stream }
 * stream := 'BZh' '1'..'9' { block } end     bits; padded to a byte
 * block  := 314159265359 crc32 data          hexadecimal, at any bit
 * end    := 177245385090 crc32               of all blocks together
 * </pre>
 *
 * <p>Blocks do not tell their length: the next mark ends one. A block is decoded as a stream of its
 * own, which checks its CRC; that of the stream is checked where it was read from its beginning.
 * Memory: one block, 6 MB at most.
 */
public final class Bzip2Source extends DecodedStream {
  private static final long BLOCK = 0x314159265359L;
  private static final long END = 0x177245385090L;
  private static final int MARK_BITS = 48;
  private static final long MARK_MASK = (1L << MARK_BITS) - 1;
  private static final int STREAM_HEADER_BYTES = 4;

  /** No block of 900,000 bytes is longer than this when compressed. */
  private static final int MAX_BLOCK_BYTES = 1_200_000;

  private static final int READ_BYTES = 1 << 16;

  private final InputStream raw;
  private final String name;
  private final long endOfRange;

  private byte[] buffer = new byte[READ_BYTES];
  private int filled;

  /** Offset in the file of {@code buffer[0]}. */
  private long base;

  private boolean endOfFile;

  /** The mark at which reading goes on, and the bit of the file where it starts; -1 at the end. */
  private long mark;

  private long markAt;

  private @Nullable InputStream block;
  private long produced;
  private long boundary = Long.MAX_VALUE;
  private boolean wholeStream;
  private int streamCrc;

  /** Size of blocks: the largest unless a header was seen. */
  private byte level = '9';

  /**
   * Reads on from {@code raw}, which stands at byte {@code start} and is closed with this stream.
   *
   * @param endOfRange first byte after the range
   * @param name for messages
   */
  public Bzip2Source(InputStream raw, long start, long endOfRange, String name) throws IOException {
    this.raw = raw;
    this.name = name;
    this.endOfRange = endOfRange;
    this.base = start;
    if (start == 0) {
      startStream(0);
    } else {
      findMark(start * Byte.SIZE, false);
      while (markAt >= 0 && mark == END && markAt / Byte.SIZE < endOfRange) {
        endStream();
      }
      if (markAt >= 0 && markAt / Byte.SIZE >= endOfRange) {
        markAt = -1; // no block starts in the range
      }
    }
  }

  /**
   * How many bytes the blocks of the range hold; {@code Long.MAX_VALUE} until they have been read,
   * and when the file ends with them.
   */
  public long boundary() {
    return boundary;
  }

  /** Offset of the byte in which the next block to be decoded starts; -1 at the end of the file. */
  public long nextBlock() {
    return markAt < 0 ? -1 : markAt / Byte.SIZE;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (true) {
      if (block != null) {
        int n = decode(block, into, offset, length);
        if (n > 0) {
          produced += n;
          return n;
        }
        block = null;
      }
      if (!nextBlockOpened()) {
        return -1;
      }
    }
  }

  private int decode(InputStream from, byte[] into, int offset, int length) {
    try {
      return from.read(into, offset, length);
    } catch (IOException | RuntimeException e) {
      throw corrupt("a damaged block (" + e.getMessage() + ")", e);
    }
  }

  private boolean nextBlockOpened() throws IOException {
    while (markAt >= 0 && mark == END) {
      endStream();
    }
    if (markAt < 0) {
      return false;
    }
    if (boundary == Long.MAX_VALUE && markAt / Byte.SIZE >= endOfRange) {
      boundary = produced;
    }
    long from = markAt;
    findMark(from + MARK_BITS, true);
    if (markAt < 0) {
      throw CodecErrors.truncated(name, "bzip2", base + filled, "inside a block");
    }
    block = openBlock(from, markAt);
    return true;
  }

  /** The bits [{@code from}, {@code to}), a block, as a stream of one block. */
  private InputStream openBlock(long from, long to) throws IOException {
    if (to - from < MARK_BITS + Integer.SIZE) {
      throw corrupt("a block of " + (to - from) + " bits", null);
    }
    int crc = (int) bits(from + MARK_BITS, Integer.SIZE);
    streamCrc = Integer.rotateLeft(streamCrc, 1) ^ crc;
    int length = (int) ((to - from + Byte.SIZE - 1) / Byte.SIZE);
    byte[] stream = new byte[STREAM_HEADER_BYTES + length + 11];
    stream[0] = 'B';
    stream[1] = 'Z';
    stream[2] = 'h';
    stream[3] = level;
    for (int i = 0; i < length; i++) {
      int count = (int) Math.min(Byte.SIZE, to - from - (long) Byte.SIZE * i);
      long value = bits(from + (long) Byte.SIZE * i, count);
      stream[STREAM_HEADER_BYTES + i] = (byte) (value << (Byte.SIZE - count));
    }
    long at = STREAM_HEADER_BYTES * (long) Byte.SIZE + (to - from);
    at = put(stream, at, END, MARK_BITS);
    put(stream, at, crc, Integer.SIZE);
    try {
      return new BZip2CompressorInputStream(new ByteArrayInputStream(stream));
    } catch (IOException | RuntimeException e) {
      throw corrupt("a damaged block (" + e.getMessage() + ")", e);
    }
  }

  private static long put(byte[] into, long at, long value, int count) {
    for (int i = 0; i < count; i++) {
      long bit = at + i;
      if ((value >>> (count - 1 - i) & 1) != 0) {
        into[(int) (bit / Byte.SIZE)] |= (byte) (0x80 >>> (bit % Byte.SIZE));
      }
    }
    return at + count;
  }

  /** {@code count} bits, at most 32, of what the buffer holds. */
  private long bits(long from, int count) {
    int at = (int) (from / Byte.SIZE - base);
    long word = 0;
    for (int i = 0; i < 5; i++) {
      word = word << Byte.SIZE | (at + i < filled ? buffer[at + i] & 0xFF : 0);
    }
    int shift = 5 * Byte.SIZE - (int) (from % Byte.SIZE) - count;
    return word >>> shift & ((1L << count) - 1);
  }

  /** Reads the header of a stream at byte {@code at} and the mark behind it. */
  private void startStream(long at) throws IOException {
    boolean whole = require(at + STREAM_HEADER_BYTES);
    for (int i = 0; i < STREAM_HEADER_BYTES && at - base + i < filled; i++) {
      int found = buffer[(int) (at - base) + i];
      if (i < 3 ? found != "BZh".charAt(i) : found < '1' || found > '9') {
        throw corrupt(at == 0 ? "no bzip2 header" : "bytes after the end that are not bzip2", null);
      }
    }
    long first = (at + STREAM_HEADER_BYTES) * Byte.SIZE;
    if (!whole || !require(at + STREAM_HEADER_BYTES + MARK_BITS / Byte.SIZE)) {
      throw CodecErrors.truncated(name, "bzip2", base + filled, "inside a header");
    }
    mark = bits(first, 24) << 24 | bits(first + 24, 24);
    markAt = first;
    if (mark != BLOCK && mark != END) {
      throw corrupt("no block behind a header", null);
    }
    level = buffer[(int) (at - base) + 3];
    wholeStream = true;
    streamCrc = 0;
  }

  /** Passes over the end of a stream, at {@link #markAt}, to the mark of the next one. */
  private void endStream() throws IOException {
    long crcAt = markAt + MARK_BITS;
    long end = (crcAt + Integer.SIZE + Byte.SIZE - 1) / Byte.SIZE;
    if (!require(end)) {
      throw CodecErrors.truncated(name, "bzip2", base + filled, "inside the end of a stream");
    }
    int recorded = (int) bits(crcAt, Integer.SIZE);
    if (wholeStream && recorded != streamCrc) {
      throw corrupt(
          String.format(Locale.ROOT, "CRC-32 %08x where %08x was recorded", streamCrc, recorded),
          null);
    }
    drop(end);
    if (require(end + 1)) {
      startStream(end);
    } else {
      markAt = -1;
    }
  }

  /**
   * Moves to the first mark that starts at bit {@code from} or later.
   *
   * @param keep whether the bytes from the present mark on are still wanted
   */
  private void findMark(long from, boolean keep) throws IOException {
    long first = keep ? markAt / Byte.SIZE : from / Byte.SIZE;
    drop(first);
    long window = 0;
    for (long at = from / Byte.SIZE; require(at + 1); at++) {
      window = window << Byte.SIZE | (buffer[(int) (at - base)] & 0xFF);
      for (int shift = Byte.SIZE - 1; shift >= 0; shift--) {
        long candidate = window >>> shift & MARK_MASK;
        long start = (at + 1) * Byte.SIZE - shift - MARK_BITS;
        if ((candidate == BLOCK || candidate == END) && start >= from) {
          mark = candidate;
          markAt = start;
          return;
        }
      }
      if (keep && at - first > MAX_BLOCK_BYTES) {
        throw corrupt("a block of more than " + MAX_BLOCK_BYTES + " bytes", null);
      }
      if (!keep && at - 2L * Byte.SIZE >= endOfRange) {
        break;
      }
      if (!keep && at - base > READ_BYTES) {
        drop(at - Byte.SIZE);
      }
    }
    markAt = -1;
  }

  /** Forgets the bytes before {@code at}. */
  private void drop(long at) {
    int count = (int) (at - base);
    if (count > 0) {
      System.arraycopy(buffer, count, buffer, 0, filled - count);
      filled -= count;
      base = at;
    }
  }

  /** Reads until the buffer holds the bytes before {@code to}; false if the file ends earlier. */
  private boolean require(long to) throws IOException {
    while (base + filled < to && !endOfFile) {
      if (buffer.length - filled < READ_BYTES) {
        buffer = Arrays.copyOf(buffer, buffer.length * 2);
      }
      int n = raw.read(buffer, filled, buffer.length - filled);
      endOfFile = n < 0;
      filled += Math.max(0, n);
    }
    return base + filled >= to;
  }

  private WeftException corrupt(String found, @Nullable Throwable cause) {
    return CodecErrors.corrupt(
        name, "bzip2", found, "near byte " + (markAt < 0 ? base : markAt / Byte.SIZE), cause);
  }

  @Override
  public void close() throws IOException {
    raw.close();
  }
}
