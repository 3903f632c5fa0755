package org.weft.storage.file;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** A staged file: remembers that a write failed, so that the file is never published. */
final class StagedStream extends OutputStream {
  private final String uri;
  private final DurableStream out;
  private @Nullable IOException failure;
  private boolean closed;

  StagedStream(String uri, DurableStream out) {
    this.uri = uri;
    this.out = out;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  @Override
  public void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      out.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private WeftException failed(IOException e) {
    failure = e;
    return FileAccess.unavailable(uri, e);
  }

  void finish() {
    close();
    if (failure != null) {
      throw new WeftException(
          ErrorCode.COMMIT_FAILED,
          uri
              + ": writing failed earlier, so nothing is published ("
              + StorageFault.shown(String.valueOf(failure.getMessage()))
              + ")",
          failure);
    }
  }

  void abandon() {
    closed = true;
    out.abandon();
  }
}
