package org.weft.storage.file;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The renames of one commit and what their outcomes mean. A rename that returns false or throws has
 * not necessarily failed, so the two names are looked at again:
 *
 * <pre>
 * staged  target            outcome
 * gone    there, as staged  committed: the rename happened, only its answer was lost
 * there   absent            COMMIT_FAILED
 * there   there             COMMIT_CONFLICT (COMMIT_FAILED when replacing: it is the old version)
 * other, or no answer       COMMIT_STATE_UNKNOWN
 * </pre>
 */
final class Publication {
  private final String uri;
  private final FileSystem fs;
  private final Path staging;
  private final Path target;
  private final boolean directory;
  private final Renames renames;
  private final String staged;

  Publication(String uri, FileSystem fs, Path staging, Path target, boolean directory) {
    this.uri = uri;
    this.fs = fs;
    this.staging = staging;
    this.target = target;
    this.directory = directory;
    this.renames = Renames.of(fs);
    try {
      this.staged = contents(staging);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  boolean targetExists() {
    try {
      return fs.exists(target);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Publishes to a target that does not exist. */
  void publish() {
    try {
      if (renames.move(staging, target)) {
        return;
      }
    } catch (IOException | RuntimeException e) {
      settle(e, false);
      return;
    }
    settle(null, false);
  }

  /** Publishes over the present target, in one step if the file system has one. */
  void replace(Path aside) {
    if (directory || !renames.replacesFiles()) {
      replaceByMovingAside(aside);
      return;
    }
    try {
      renames.replaceFile(staging, target);
    } catch (IOException | RuntimeException e) {
      settle(e, true);
    }
  }

  private void replaceByMovingAside(Path aside) {
    if (!moveAside(aside)) {
      publish();
      return;
    }
    try {
      publish();
    } catch (WeftException e) {
      if (e.code() == ErrorCode.COMMIT_FAILED) {
        restore(aside, e);
      } else if (e.code() == ErrorCode.COMMIT_STATE_UNKNOWN) {
        throw unknown(e, "; the old version is at " + aside);
      } else {
        remove(aside);
      }
      throw e;
    }
    remove(aside);
  }

  /** False: there is nothing to move, as somebody else who replaces it has moved it meanwhile. */
  private boolean moveAside(Path aside) {
    Throwable cause = null;
    try {
      if (renames.move(target, aside)) {
        return true;
      }
    } catch (IOException | RuntimeException e) {
      cause = e;
    }
    boolean targetThere;
    boolean asideThere;
    try {
      targetThere = fs.exists(target);
      asideThere = fs.exists(aside);
    } catch (IOException e) {
      throw unknown(e, "; the old version is there or at " + aside);
    }
    if (targetThere) {
      throw failed(cause);
    }
    return asideThere;
  }

  private void restore(Path aside, WeftException failure) {
    try {
      if (renames.move(aside, target) || fs.exists(target)) {
        return;
      }
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
    throw unknown(failure, "; the old version is at " + aside + ", rename it back");
  }

  private void remove(Path aside) {
    try {
      fs.delete(aside, true);
    } catch (IOException e) {
      logger().log(System.Logger.Level.WARNING, "could not remove the replaced output " + aside, e);
    }
  }

  /** Finds out what a rename did that returned false ({@code cause} null) or threw. */
  private void settle(@Nullable Throwable cause, boolean replacing) {
    boolean stagedThere;
    @Nullable String present;
    try {
      stagedThere = fs.exists(staging);
      present = fs.exists(target) ? contents(target) : null;
    } catch (IOException e) {
      throw unknown(cause == null ? e : cause, "");
    }
    if (stagedThere) {
      throw present == null || replacing ? failed(cause) : conflict(cause);
    }
    if (present == null || !present.equals(staged)) {
      throw unknown(cause, "");
    }
    logger()
        .log(
            System.Logger.Level.WARNING,
            "{0}: the rename was reported as failed but has happened; committed",
            uri);
  }

  /** What tells one output from another: the length of a file, names and lengths in a folder. */
  private String contents(Path path) throws IOException {
    FileStatus status = fs.getFileStatus(path);
    if (!status.isDirectory()) {
      return "file " + status.getLen();
    }
    return Arrays.stream(fs.listStatus(path))
        .map(child -> child.getPath().getName() + " " + child.getLen())
        .sorted()
        .collect(Collectors.joining("\n", "folder\n", ""));
  }

  private static String reason(@Nullable Throwable cause) {
    return cause == null
        ? "the file system refused it"
        : StorageFault.shown(String.valueOf(cause.getMessage()));
  }

  WeftException failed(@Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.COMMIT_FAILED,
        uri
            + ": the output could not be renamed into place ("
            + reason(cause)
            + "); the target is as it was before, run again",
        cause);
  }

  WeftException conflict(@Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.COMMIT_CONFLICT,
        uri
            + ": another process wrote this output in the meantime, and that output is kept; choose"
            + " another name or allow overwriting (--overwrite)",
        cause);
  }

  private WeftException unknown(@Nullable Throwable cause, String hint) {
    return new WeftException(
        ErrorCode.COMMIT_STATE_UNKNOWN,
        uri
            + ": the output may or may not have been published ("
            + reason(cause)
            + "); look at the target and at "
            + staging
            + hint
            + " before running again",
        cause);
  }

  /** Found when there is something to say: a small job ends before loggers have started. */
  private static System.Logger logger() {
    return System.getLogger(Publication.class.getName());
  }
}
