package org.weft.storage;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** One existing input file: the name that messages use, its length, and its bytes. */
public final class SourceFile {
  private final String uri;
  private final FileSystem fileSystem;
  private final Path path;
  private final long length;
  private final long blockBytes;
  private final Compression compression;

  private SourceFile(String uri, FileSystem fileSystem, FileStatus status) {
    this.uri = uri;
    this.fileSystem = fileSystem;
    this.path = status.getPath();
    this.length = status.getLen();
    this.blockBytes = status.getBlockSize();
    this.compression = Compression.of(uri);
  }

  /**
   * Finds {@code uri}.
   *
   * @throws WeftException {@code INPUT_NOT_FOUND} if it is missing or a directory, {@code
   *     STORAGE_UNAVAILABLE} if the file system does not answer
   */
  public static SourceFile find(FileAccess access, String uri) {
    Path path = access.path(uri);
    FileSystem fs = access.fileSystem(path);
    try {
      FileStatus status = fs.getFileStatus(path);
      if (status.isDirectory()) {
        throw new WeftException(
            ErrorCode.INPUT_NOT_FOUND,
            uri + ": expected a file, found a directory; name one file in it");
      }
      return new SourceFile(uri, fs, status);
    } catch (FileNotFoundException e) {
      throw new WeftException(
          ErrorCode.INPUT_NOT_FOUND,
          uri + ": expected a file, found nothing at " + path + "; check the path",
          e);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
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

  public Compression compression() {
    return compression;
  }

  /**
   * The decompressed bytes from {@code offset} on; the caller closes the stream. O(1) for plain
   * files, O(offset) for compressed ones.
   */
  public InputStream open(long offset) throws IOException {
    FSDataInputStream raw = fileSystem.open(path);
    boolean ready = false;
    try {
      if (compression == Compression.NONE) {
        raw.seek(offset);
        ready = true;
        return raw;
      }
      InputStream inside = compression.decompress(raw, uri);
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

  /** Checks that the file is still as long as when it was planned. */
  void requireLength(long planned) {
    if (planned != length) {
      throw changed(null);
    }
  }

  private WeftException changed(@org.jspecify.annotations.Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.CORRUPT_INPUT,
        uri + ": the file changed while it was being read (" + length + " bytes now); run again",
        cause);
  }
}
