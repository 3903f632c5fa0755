package org.weft.storage.container.encoding;

import com.github.luben.zstd.Zstd;
import org.weft.memory.ElementType;
import org.weft.runtime.BlockDecoder;

/**
 * The bytes of a block as one zstd frame (RFC 8878), after transposition: all first bytes of the
 * elements, then all second bytes, and so on, because bytes of equal weight resemble each other.
 */
public final class ZstdEncoding implements ArrayEncoding {
  private static final int LEVEL = 3;

  @Override
  public String name() {
    return "zstd";
  }

  @Override
  public boolean suits(ElementType type) {
    return true;
  }

  @Override
  public int encode(
      ElementType type, long elements, int count, long scratch, long out, int capacity) {
    long from = elements;
    if (type.bytes() > 1) {
      BlockDecoder.splitPlanes(type, elements, count, scratch);
      from = scratch;
    }
    long size = (long) count * type.bytes();
    long bytes = Zstd.compressUnsafe(out, capacity, from, size, LEVEL, false);
    return Zstd.isError(bytes) ? -1 : (int) bytes;
  }

  @Override
  public boolean decode(
      ElementType type, long in, int bytes, long scratch, long elements, int count) {
    long to = type.bytes() > 1 ? scratch : elements;
    long expected = (long) count * type.bytes();
    if (Zstd.decompressUnsafe(to, expected, in, bytes) != expected) {
      return false;
    }
    if (type.bytes() > 1) {
      BlockDecoder.planes(type, scratch, elements, count);
    }
    return true;
  }
}
