package org.weft.storage.file;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Removes what was not committed. Tasks of a job that has failed run on for a while and make files
 * in it, which keep a folder in place or make its removal fail.
 */
public final class UnfinishedTree {
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private UnfinishedTree() {}

  /**
   * Removes {@code path} and all that is in it, again until it has gone.
   *
   * @throws IOException if it is still there after ten seconds, and at once if the file system does
   *     not even say whether it is
   */
  public static void remove(FileSystem fs, Path path) throws IOException {
    remove(fs, path, LONGEST_NANOS);
  }

  static void remove(FileSystem fs, Path path, long longestNanos) throws IOException {
    long start = System.nanoTime();
    while (true) {
      IOException failure = delete(fs, path);
      if (!fs.exists(path)) {
        return;
      }
      if (System.nanoTime() - start > longestNanos) {
        throw failure;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Why the path may still be there. */
  private static IOException delete(FileSystem fs, Path path) {
    try {
      fs.delete(path, true);
      return new IOException(path + " is still written to");
    } catch (IOException e) {
      return e;
    }
  }
}
