package org.weft.storage.container;

import java.io.Closeable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.NativeMemory;
import org.weft.storage.file.FileAccess;
import org.weft.text.Counts;

/**
 * Bytes of one data file straight into off-heap memory: by a channel from local disks, by the
 * stream's own reading into direct buffers where it can (HDFS), otherwise through a small array.
 * Fast when offsets ascend. Not thread-safe.
 */
final class DataFileReader implements Closeable {
  private static final int COPY_BYTES = 1 << 16;

  private interface Source extends Closeable {
    /** Reads some bytes at {@code offset} into {@code into}; -1 at the end. */
    int read(long offset, ByteBuffer into) throws IOException;
  }

  private final String uri;
  private final Source source;

  private DataFileReader(String uri, Source source) {
    this.uri = uri;
    this.source = source;
  }

  /**
   * Opens the file {@code relative} in a container's {@code folder}, which is to have {@code
   * expected} bytes.
   *
   * @param uri what the file is called in errors
   * @throws WeftException {@code CORRUPT_INPUT} if it is missing, longer, or behind a link that
   *     leaves the folder, {@code TRUNCATED_INPUT} if it is shorter
   */
  static DataFileReader open(
      FileAccess access, String uri, Path folder, String relative, long expected) {
    Path path = new Path(folder, relative);
    FileSystem fs = access.fileSystem(folder);
    try {
      if (fs instanceof RawLocalFileSystem) {
        java.nio.file.Path file = OwnFiles.inside(folder, path);
        requireLength(uri, expected, Files.size(file));
        return new DataFileReader(uri, new LocalFile(file));
      }
      requireLength(uri, expected, fs.getFileStatus(path).getLen());
      FSDataInputStream in = fs.open(path);
      boolean direct = in.hasCapability(StreamCapabilities.READBYTEBUFFER);
      return new DataFileReader(uri, direct ? new DirectStream(in) : new CopiedStream(in));
    } catch (FileNotFoundException | NoSuchFileException e) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          uri
              + ": expected a data file of "
              + Counts.plain(expected, "byte")
              + ", found nothing; restore the file, or open the tensor again if this version"
              + " was expired meanwhile",
          e);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private static void requireLength(String uri, long expected, long found) {
    if (found != expected) {
      throw new WeftException(
          found < expected ? ErrorCode.TRUNCATED_INPUT : ErrorCode.CORRUPT_INPUT,
          uri
              + ": expected a data file of "
              + Counts.plain(expected, "byte")
              + ", found "
              + found
              + "; copy or write it again");
    }
  }

  String uri() {
    return uri;
  }

  /** Reads {@code bytes} bytes at {@code offset} to {@code address}. */
  void read(long offset, long address, int bytes) {
    ByteBuffer into = NativeMemory.buffer(address, bytes);
    long at = offset;
    try {
      while (into.hasRemaining()) {
        int count = source.read(at, into);
        if (count < 0) {
          throw new EOFException("the file ends at byte " + at);
        }
        at += count;
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  @Override
  public void close() throws IOException {
    source.close();
  }

  private static final class LocalFile implements Source {
    private final FileChannel channel;

    LocalFile(java.nio.file.Path path) throws IOException {
      channel = FileChannel.open(path, StandardOpenOption.READ);
    }

    @Override
    public int read(long offset, ByteBuffer into) throws IOException {
      return channel.read(into, offset);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private static final class DirectStream implements Source {
    private final FSDataInputStream in;

    DirectStream(FSDataInputStream in) {
      this.in = in;
    }

    @Override
    public int read(long offset, ByteBuffer into) throws IOException {
      if (in.getPos() != offset) {
        in.seek(offset);
      }
      return in.read(into);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  private static final class CopiedStream implements Source {
    private final FSDataInputStream in;
    private final byte[] buffer = new byte[COPY_BYTES];

    CopiedStream(FSDataInputStream in) {
      this.in = in;
    }

    @Override
    public int read(long offset, ByteBuffer into) throws IOException {
      if (in.getPos() != offset) {
        in.seek(offset);
      }
      int count = in.read(buffer, 0, Math.min(buffer.length, into.remaining()));
      if (count > 0) {
        into.put(buffer, 0, count);
      }
      return count;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
