package org.weft.storage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.StreamCapabilities;

/** A stream whose bytes go into direct buffers: by itself where it can do that, else by a copy. */
public final class StreamChannel implements ReadableByteChannel {
  private static final int COPY_BYTES = 1 << 16;

  private final InputStream in;
  private final byte[] copy;
  private boolean open = true;

  private StreamChannel(InputStream in, byte[] copy) {
    this.in = in;
    this.copy = copy;
  }

  /** The bytes of {@code in}, which is closed with the channel. */
  public static ReadableByteChannel of(InputStream in) {
    boolean direct =
        in instanceof FSDataInputStream data
            && data.hasCapability(StreamCapabilities.READBYTEBUFFER);
    return new StreamChannel(in, new byte[direct ? 0 : COPY_BYTES]);
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    if (copy.length == 0) {
      return ((FSDataInputStream) in).read(into);
    }
    int n = in.read(copy, 0, Math.min(copy.length, into.remaining()));
    if (n > 0) {
      into.put(copy, 0, n);
    }
    return n;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() throws IOException {
    open = false;
    in.close();
  }
}
