package org.weft.storage.codec;

import com.github.luben.zstd.ZstdInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.WeftException;

/**
 * The bytes of a zstd file (RFC 8878): every frame in turn. Frames whose window exceeds zstd's
 * default limit of 128 MiB are refused.
 */
public final class ZstdSource extends DecodedStream {
  private final Raw raw;
  private final ZstdInputStream frames;
  private final String name;

  /** Decompresses {@code raw}, which is closed with this stream; {@code name} is for messages. */
  public ZstdSource(InputStream raw, String name) throws IOException {
    this.raw = new Raw(raw);
    this.frames = new ZstdInputStream(this.raw);
    this.name = name;
  }

  /** Counts bytes, and remembers that it was the file system that failed. */
  private static final class Raw extends FilterInputStream {
    private long bytes;
    private boolean ended;
    private @Nullable IOException failure;

    Raw(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      try {
        int n = super.read(into, offset, length);
        bytes += Math.max(0, n);
        ended |= n < 0;
        return n;
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    try {
      return frames.read(into, offset, length);
    } catch (IOException e) {
      if (raw.failure != null) {
        throw raw.failure;
      }
      throw damage(e);
    }
  }

  private WeftException damage(IOException cause) {
    if (raw.ended) {
      return CodecErrors.truncated(name, "zstd", raw.bytes, "inside a frame");
    }
    return CodecErrors.corrupt(
        name,
        "zstd",
        "a damaged frame (" + cause.getMessage() + ")",
        "near byte " + raw.bytes,
        cause);
  }

  @Override
  public void close() throws IOException {
    frames.close();
  }
}
