package org.weft.storage;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.codec.Bzip2Source;
import org.weft.storage.file.FileAccess;

/** One existing input file: the name that messages use, its length, and its bytes. */
public final class SourceFile {
  private final FileAccess access;
  private final String uri;
  private final FileSystem fileSystem;
  private final Path path;
  private final long length;
  private final long blockBytes;
  private final boolean compressible;
  private @Nullable Compression compression;

  private SourceFile(
      FileAccess access,
      String uri,
      FileSystem fileSystem,
      FileStatus status,
      boolean compressible) {
    this.access = access;
    this.uri = uri;
    this.fileSystem = fileSystem;
    this.path = status.getPath();
    this.length = status.getLen();
    this.blockBytes = status.getBlockSize();
    this.compressible = compressible;
  }

  /**
   * Finds {@code uri}.
   *
   * @param compressible whether its format may be compressed as a whole
   * @throws WeftException {@code INPUT_NOT_FOUND} if it is missing or a directory, {@code
   *     STORAGE_UNAVAILABLE} if the file system does not answer
   */
  public static SourceFile find(FileAccess access, String uri, boolean compressible) {
    return find(access, uri, compressible, false);
  }

  /** As above for a tensor of {@code format}, which may be a folder. */
  static SourceFile find(FileAccess access, String uri, TensorFileFormat format) {
    try {
      return find(access, uri, format.compressible(), format.isFolder());
    } catch (WeftException e) {
      if (e.code() == ErrorCode.INPUT_NOT_FOUND) {
        format.requireThere(access, uri);
      }
      throw e;
    }
  }

  private static SourceFile find(
      FileAccess access, String uri, boolean compressible, boolean folder) {
    Path path = access.path(uri);
    FileSystem fs = access.fileSystem(path);
    try {
      FileStatus status = fs.getFileStatus(path);
      if (status.isDirectory() && !folder) {
        throw new WeftException(
            ErrorCode.INPUT_NOT_FOUND,
            uri + ": expected a file, found a directory; name one file in it");
      }
      if (!status.isDirectory() && isSpecial(fs, path)) {
        throw new WeftException(
            ErrorCode.INPUT_NOT_FOUND,
            uri
                + ": expected a file, found a pipe or a device, which cannot be read in pieces; write"
                + " what it gives to a file first");
      }
      return new SourceFile(access, uri, fs, status, compressible);
    } catch (FileNotFoundException e) {
      throw new WeftException(
          ErrorCode.INPUT_NOT_FOUND,
          uri
              + ": expected a file, found nothing"
              + FileAccess.place(uri, path)
              + "; check the path",
          e);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private static boolean isSpecial(FileSystem fs, Path path) throws IOException {
    Optional<java.nio.file.Path> file = FileAccess.onDisk(fs, path);
    return file.isPresent()
        && Files.readAttributes(file.get(), BasicFileAttributes.class).isOther();
  }

  /** How the file was reached. */
  public FileAccess access() {
    return access;
  }

  /** The name as the user gave it. */
  public String uri() {
    return uri;
  }

  /** Bytes in the file, compressed if it is. */
  public long length() {
    return length;
  }

  /** Preferred bytes of a split: the file system's block. */
  public long blockBytes() {
    return blockBytes;
  }

  /** How the file is compressed. Cost: the first call reads its first bytes. */
  public Compression compression() throws IOException {
    Compression known = compression;
    if (known == null) {
      known = Compression.NONE;
      if (compressible) {
        try (InputStream in = fileSystem.open(path)) {
          known = Compression.of(uri, in.readNBytes(Compression.MAGIC_BYTES));
        }
      }
      compression = known;
    }
    return known;
  }

  /**
   * The bytes of a bzip2 file from the first block that starts in [{@code start}, {@code end}) on;
   * the caller closes the stream.
   */
  public Bzip2Source openBlocks(long start, long end) throws IOException {
    FSDataInputStream raw = fileSystem.open(path);
    try {
      raw.seek(start);
      return new Bzip2Source(raw, start, end, uri);
    } catch (EOFException e) {
      raw.close();
      throw changed(e);
    } catch (IOException | RuntimeException e) {
      raw.close();
      throw e;
    }
  }

  /**
   * The decompressed bytes from {@code offset} on; the caller closes the stream. O(1) for plain
   * files, O(offset) for compressed ones.
   */
  public InputStream open(long offset) throws IOException {
    FSDataInputStream raw = fileSystem.open(path);
    boolean ready = false;
    try {
      if (compression() == Compression.NONE) {
        raw.seek(offset);
        ready = true;
        return raw;
      }
      InputStream inside = compression().decompress(raw, uri);
      inside.skipNBytes(offset);
      ready = true;
      return inside;
    } catch (EOFException e) {
      throw changed(e);
    } finally {
      if (!ready) {
        raw.close();
      }
    }
  }

  /**
   * As {@link #open}, for reading into direct buffers: local files without a copy. The caller
   * closes the channel.
   */
  public ReadableByteChannel openChannel(long offset) throws IOException {
    Optional<java.nio.file.Path> file = FileAccess.onDisk(fileSystem, path);
    return file.isPresent() && compression() == Compression.NONE
        ? FileChannel.open(file.get()).position(offset)
        : StreamChannel.of(open(offset));
  }

  /** Checks that the file is still as long as when it was planned. */
  void requireLength(long planned) {
    if (planned != length) {
      throw changed(null);
    }
  }

  private WeftException changed(@Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.CORRUPT_INPUT,
        uri + ": the file changed while it was being read (" + length + " bytes now); run again",
        cause);
  }
}
