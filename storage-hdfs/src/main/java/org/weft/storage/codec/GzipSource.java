package org.weft.storage.codec;

import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.weft.error.WeftException;

/**
 * The bytes of a gzip file (RFC 1952): every member in turn, each with its check sum and length
 * verified. Unlike {@link java.util.zip.GZIPInputStream} it does not ask {@code available()}
 * whether another member follows (remote streams answer 0, which would drop the rest of the file),
 * and it does not pass over bytes after the last member unless they are zero padding.
 */
public final class GzipSource extends DecodedStream {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int FLAG_HEADER_CRC = 2;
  private static final int FLAG_EXTRA = 4;
  private static final int FLAG_NAME = 8;
  private static final int FLAG_COMMENT = 16;
  private static final int FLAGS_RESERVED = 0xE0;

  private final InputStream raw;
  private final String name;
  private final Inflater inflater = new Inflater(true);
  private final CRC32 crc = new CRC32();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int at;
  private int limit;
  private long consumed;
  private int member;
  private boolean inMember;
  private boolean finished;

  /** Decompresses {@code raw}, which is closed with this stream; {@code name} is for messages. */
  public GzipSource(InputStream raw, String name) {
    this.raw = raw;
    this.name = name;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (!finished) {
      if (!inMember && !startMember()) {
        finished = true;
        break;
      }
      int n = inflate(into, offset, length);
      if (n > 0) {
        crc.update(into, offset, n);
        return n;
      }
      if (inflater.finished()) {
        endMember();
      } else if (!inflater.needsInput()) {
        throw corrupt("a preset dictionary, which gzip does not allow");
      } else {
        refill("inside compressed data");
        inflater.setInput(buffer, at, limit - at);
      }
    }
    return -1;
  }

  private int inflate(byte[] into, int offset, int length) {
    try {
      return inflater.inflate(into, offset, length);
    } catch (DataFormatException e) {
      throw corrupt("invalid compressed data (" + e.getMessage() + ")");
    }
  }

  /** Reads a member's header; false at the end of the file. */
  private boolean startMember() throws IOException {
    int first = member == 0 ? next() : nextAfterPadding();
    if (first < 0) {
      return false;
    }
    if (first != 0x1F || required() != 0x8B) {
      throw corrupt(member == 0 ? "no gzip header" : "bytes after the end that are not gzip");
    }
    int method = required();
    int flags = required();
    if (method != 8 || (flags & FLAGS_RESERVED) != 0) {
      throw corrupt("compression method " + method + ", flags " + flags);
    }
    skip(6);
    if ((flags & FLAG_EXTRA) != 0) {
      skip(required() | required() << 8);
    }
    if ((flags & FLAG_NAME) != 0) {
      skipText();
    }
    if ((flags & FLAG_COMMENT) != 0) {
      skipText();
    }
    if ((flags & FLAG_HEADER_CRC) != 0) {
      skip(2);
    }
    member++;
    inMember = true;
    crc.reset();
    inflater.reset();
    inflater.setInput(buffer, at, limit - at);
    return true;
  }

  private void endMember() throws IOException {
    at = limit - inflater.getRemaining();
    long expectedCrc = littleEndian32();
    long expectedLength = littleEndian32();
    if (expectedCrc != crc.getValue()) {
      throw corrupt(
          String.format(
              Locale.ROOT, "CRC-32 %08x where %08x was recorded", crc.getValue(), expectedCrc));
    }
    if (expectedLength != (inflater.getBytesWritten() & 0xFFFF_FFFFL)) {
      throw corrupt(
          inflater.getBytesWritten() + " bytes where " + expectedLength + " were recorded");
    }
    inMember = false;
  }

  private long littleEndian32() throws IOException {
    long value = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      value |= (long) required() << shift;
    }
    return value;
  }

  private int nextAfterPadding() throws IOException {
    int next = next();
    while (next == 0) {
      next = next();
    }
    return next;
  }

  private void skipText() throws IOException {
    int next = required();
    while (next != 0) {
      next = required();
    }
  }

  private void skip(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      required();
    }
  }

  private int required() throws IOException {
    int next = next();
    if (next < 0) {
      throw truncated("inside a gzip header or trailer");
    }
    return next;
  }

  private int next() throws IOException {
    if (at == limit && !fill()) {
      return -1;
    }
    return buffer[at++] & 0xFF;
  }

  private void refill(String where) throws IOException {
    if (!fill()) {
      throw truncated(where);
    }
  }

  private boolean fill() throws IOException {
    consumed += limit;
    at = 0;
    limit = Math.max(0, raw.read(buffer, 0, buffer.length));
    return limit > 0;
  }

  private WeftException truncated(String where) {
    return CodecErrors.truncated(
        name, "gzip", consumed + limit, where + " of member " + Math.max(1, member));
  }

  private WeftException corrupt(String found) {
    String where = "near byte " + (consumed + at) + " (member " + Math.max(1, member) + ")";
    return CodecErrors.corrupt(name, "gzip", found, where, null);
  }

  @Override
  public void close() throws IOException {
    finished = true;
    inflater.end();
    raw.close();
  }
}
