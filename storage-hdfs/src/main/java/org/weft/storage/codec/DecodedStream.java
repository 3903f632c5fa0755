package org.weft.storage.codec;

import java.io.IOException;
import java.io.InputStream;

/** Bytes that are decoded some at a time; one alone is read as an array of one. */
abstract class DecodedStream extends InputStream {
  @Override
  public final int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public abstract int read(byte[] into, int offset, int length) throws IOException;
}
