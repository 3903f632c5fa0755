package org.weft.storage.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The folders above an output that were not there when it began. They go with it if it is aborted
 * and nothing else is in them; another output that has begun in them meanwhile makes them again.
 */
final class ParentFolders {
  private final String uri;
  private final FileSystem fs;
  private final Path parent;
  private List<Path> missing;

  /**
   * @param uri what the output is called in errors
   */
  ParentFolders(String uri, FileSystem fs, Path parent) throws IOException {
    this.uri = uri;
    this.fs = fs;
    this.parent = parent;
    this.missing = missing();
  }

  /** Those that do not exist, the lowest first. */
  private List<Path> missing() throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path p = parent; p != null && !fs.exists(p); p = p.getParent()) {
      if (p.getName().endsWith(AbandonedOutputs.STAGING_SUFFIX)) {
        throw new WeftException(
            ErrorCode.COMMIT_FAILED,
            uri + ": the output that this is a part of was given up; nothing is written");
      }
      found.add(p);
    }
    return found;
  }

  /** Whether all of them were there. */
  boolean isEmpty() {
    return missing.isEmpty();
  }

  void make() throws IOException {
    Folders.make(fs, parent);
  }

  /**
   * Makes those that have gone since, which may go again at once.
   *
   * @param failure of an output in them
   * @return whether that may be why
   */
  boolean makeAgain(IOException failure) {
    if (!isMissing(failure)) {
      return false;
    }
    try {
      List<Path> gone = missing();
      if (gone.size() > missing.size()) {
        missing = gone;
      }
      make();
      return true;
    } catch (IOException e) {
      failure.addSuppressed(e);
      return isMissing(e);
    }
  }

  private static boolean isMissing(IOException failure) {
    return failure instanceof FileNotFoundException || failure instanceof NoSuchFileException;
  }

  /** Removes those that are empty. */
  void remove() throws IOException {
    for (Path folder : missing) {
      if (!Folders.removeIfEmpty(fs, folder)) {
        break;
      }
    }
  }

  /** Brings their names to disk. */
  void sync() {
    OutputCommit.syncFolders(fs, missing.stream().map(Path::getParent).toList());
  }
}
