package org.weft.jobs.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * Standard output of the process. A {@link PrintStream} keeps silent about a full disk, so this
 * class remembers the first failure for the end of the command. A reader that has closed its pipe,
 * such as {@code head}, has what it wants: that is no failure.
 */
public final class StandardOutput {
  private static final String CLOSED_PIPE = "Broken pipe";

  private final Watched watched = new Watched();
  private final PrintStream stream = new PrintStream(watched, true, StandardCharsets.UTF_8);

  /** Where results go. */
  public PrintStream stream() {
    return stream;
  }

  /** Why results are missing, once the command has printed all; null if none are. */
  public @Nullable WeftException failure() {
    stream.flush();
    IOException failure = watched.failure;
    return failure == null || CLOSED_PIPE.equals(failure.getMessage())
        ? null
        : new WeftException(
            ErrorCode.STORAGE_UNAVAILABLE,
            "standard output: expected to write all results, found: "
                + failure.getMessage()
                + "; free space or choose another file, and run again",
            failure);
  }

  private static final class Watched extends FilterOutputStream {
    private volatile @Nullable IOException failure;

    Watched() {
      super(new FileOutputStream(FileDescriptor.out));
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
      try {
        out.write(bytes, offset, count);
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        }
        throw e;
      }
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }
  }
}
