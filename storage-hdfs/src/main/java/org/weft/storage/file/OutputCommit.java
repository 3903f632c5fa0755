package org.weft.storage.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.text.Bytes;

/**
 * One output, a file or a folder, that appears whole or not at all: written under a hidden name
 * beside its target, published by {@link #commit}, removed by {@link #close} without commit. The
 * rename is the commit, and what it publishes is on disk before it, where the file system can do
 * that. Not thread-safe, but for the end of the process, which removes what is not committed.
 *
 * <p>What a reader of the target can see while it is <em>replaced</em>: for a file on the local
 * file system and on HDFS, the old or the new contents. For a folder, and for a file on other
 * Hadoop file systems, which have no rename that replaces: the old, for a moment nothing, then the
 * new, never a mixture; the old version waits under a hidden name and comes back if the rename
 * fails. Object stores whose rename copies are outside this contract.
 *
 * <p>A device ({@link Devices}) gets the bytes as they come, and stays. A symbolic link stays, and
 * the output is where it leads.
 *
 * <p>On executors: {@link #attempt} is for outputs that several attempts of a task may write; the
 * first to commit wins and the others vanish. A file is an attempt at the driver's {@link
 * #stagedFile}, parts of a folder are attempts at {@code stagingUri() + "/part"}: what a killed
 * executor leaves is in the driver's hidden folder, and goes with it or before it is published.
 * What a killed driver leaves, a later commit to the same target removes ({@link
 * AbandonedOutputs}).
 */
public final class OutputCommit implements AutoCloseable, UnfinishedOutputs.Unfinished {
  private static final int MOST_VANISHED = 16;

  private enum State {
    OPEN,
    COMMITTED,
    FAILED,
    UNKNOWN,
    CLOSED,
    GIVEN_UP
  }

  private final String uri;
  private final FileSystem fs;
  private final Path target;
  private final Path staging;
  private final Existing existing;
  private final ParentFolders parents;
  private final List<StagedStream> streams = new ArrayList<>();
  private final boolean isDevice;
  private boolean isFile;
  private boolean isDirectory;
  private boolean isMadeElsewhere;
  private boolean replaced;
  private State state = State.OPEN;

  /**
   * @param named what the target is called in errors
   */
  private OutputCommit(FileAccess access, String uri, String named, Existing existing) {
    this.uri = StorageFault.withoutHiddenNames(named);
    Path path = access.path(uri);
    this.fs = access.fileSystem(path);
    this.isDevice = Devices.isDevice(fs, path);
    this.target = isDevice ? path : Links.followed(fs, path);
    this.existing = existing;
    Path parent = target.getParent();
    if (parent == null) {
      throw new WeftException(
          ErrorCode.USAGE, this.uri + ": expected an output below the root folder, found the root");
    }
    this.staging =
        isDevice
            ? target
            : Folders.child(
                parent, AbandonedOutputs.newName(target, AbandonedOutputs.STAGING_SUFFIX));
    try {
      Renames.of(fs).requireName(target);
      if (existing == Existing.REFUSE && !isDevice && fs.exists(target)) {
        throw outputExists();
      }
      this.parents = new ParentFolders(this.uri, fs, parent);
    } catch (IOException e) {
      throw FileAccess.unavailable(this.uri, e);
    }
    UnfinishedOutputs.add(this);
    createParents();
  }

  private void createParents() {
    if (parents.isEmpty()) {
      return;
    }
    boolean created = false;
    try {
      parents.make();
      Renames.of(fs).requireName(target); // local systems know only where the folder is there
      created = true;
    } catch (IOException e) {
      throw FileAccess.unavailable(this.uri, e);
    } finally {
      if (!created) {
        close();
      }
    }
  }

  /**
   * Starts an output. Missing parent folders are created (and removed again on abort).
   *
   * @throws WeftException {@code OUTPUT_EXISTS} if the target exists and {@code overwrite} is false
   */
  public static OutputCommit begin(FileAccess access, String uri, boolean overwrite) {
    return begin(access, uri, overwrite ? Existing.REPLACE : Existing.REFUSE);
  }

  /**
   * Starts an attempt at an output that other attempts may produce as well: if the target exists at
   * commit, it stays and this attempt is dropped.
   */
  public static OutputCommit attempt(FileAccess access, String uri) {
    return begin(access, uri, Existing.KEEP);
  }

  /** Starts an output that treats one that exists as {@code existing} says. */
  public static OutputCommit begin(FileAccess access, String uri, Existing existing) {
    return new OutputCommit(access, uri, uri, existing);
  }

  /** Where an output of this name goes: two names with one place are one output. */
  public static URI place(FileAccess access, String uri) {
    Path path = access.path(uri);
    return Links.resolved(access.fileSystem(path), path);
  }

  /**
   * Fails now if an output could not be written later: writes a byte under a hidden name where the
   * output is to be, and leaves nothing.
   *
   * @param folder whether the output is a folder
   * @throws WeftException {@code OUTPUT_EXISTS}, {@code STORAGE_UNAVAILABLE}
   */
  public static void probe(FileAccess access, String uri, boolean overwrite, boolean folder) {
    probe(access, uri, overwrite ? Existing.REPLACE : Existing.REFUSE, folder);
  }

  /**
   * Fails now if no file could be added to the folder {@code uri} later, which need not exist, and
   * leaves nothing.
   *
   * @throws WeftException {@code STORAGE_UNAVAILABLE}
   */
  public static void probeInside(FileAccess access, String uri) {
    try (OutputCommit output = new OutputCommit(access, uri + "/probe", uri, Existing.REFUSE)) {
      output.probe(false);
    }
  }

  static void probe(FileAccess access, String uri, Existing existing, boolean folder) {
    try (OutputCommit output = begin(access, uri, existing)) {
      output.probe(folder);
    }
  }

  private void probe(boolean folder) {
    if (!isDevice || folder) {
      StagedStream probe = open(folder ? child("probe") : stagedFilePath());
      probe.write(0);
      probe.flush();
    }
  }

  /** Brings the names in folders to disk, on file systems where that is a thing of its own. */
  public static void syncFolders(FileSystem fs, List<Path> folders) {
    Renames renames = Renames.of(fs);
    folders.forEach(renames::syncFolder);
  }

  /** {@code text} with the names of outputs for those of their temporaries, which nobody knows. */
  public static String withoutHiddenNames(String text) {
    return StorageFault.withoutHiddenNames(text);
  }

  /** The target as it was named. */
  public String uri() {
    return uri;
  }

  /**
   * The stream of the output, which is a file. Closing it is the caller's; a failed write makes
   * commit impossible.
   */
  public OutputStream create() {
    return open(stagedFilePath());
  }

  /**
   * Fails now if the file system says that it has no room for a file of {@code bytes}.
   *
   * @throws WeftException {@code STORAGE_UNAVAILABLE}
   */
  public void requireSpace(double bytes) {
    double free = bytes;
    try {
      free = bytes > 0 ? fs.getStatus(staging.getParent()).getRemaining() : bytes;
    } catch (IOException | UnsupportedOperationException e) {
      logger().log(System.Logger.Level.DEBUG, uri + ": the free space is not known", e);
    }
    if (free < bytes) {
      throw new WeftException(
          ErrorCode.STORAGE_UNAVAILABLE,
          uri
              + ": expected "
              + Bytes.text(bytes)
              + " of free space, as the file takes, found "
              + Bytes.text(free)
              + "; free some, name another disk, or write a sparse format such as .weft");
    }
  }

  private Path stagedFilePath() {
    if (isDirectory || isFile) {
      throw new IllegalStateException(uri + ": the output has been created already");
    }
    requireReplaceable(false);
    isFile = true;
    return staging;
  }

  /** Makes the output a folder, if it is not one yet. */
  public void createDirectory() {
    if (isFile) {
      throw new IllegalStateException(uri + ": the output is a file");
    }
    if (!isDirectory) {
      requireReplaceable(true);
      isDirectory = true;
      makeStagingFolder();
    }
  }

  private void makeStagingFolder() {
    if (isDevice) {
      throw outputExists();
    }
    try {
      Folders.make(fs, staging);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** Where {@code name} in the output folder is until commit. */
  public Path child(String name) {
    createDirectory();
    return new Path(staging, name);
  }

  /** The stream of a new file in the output folder. */
  public OutputStream createChild(String name) {
    return open(child(name));
  }

  /** The output folder until commit, as a URI for {@link #attempt} in other processes. */
  public String stagingUri() {
    createDirectory();
    return fs.makeQualified(staging).toString();
  }

  /**
   * The output, which is a file, until commit, as a URI: for one {@link #attempt} of several in
   * other processes. It has the target's name, in a hidden folder.
   */
  public String stagedFile() {
    stagedFilePath();
    isMadeElsewhere = true;
    makeStagingFolder();
    return fs.makeQualified(staged()).toString();
  }

  /** What becomes the target. */
  private Path staged() {
    return isMadeElsewhere ? Folders.child(staging, target.getName()) : staging;
  }

  private StagedStream open(Path path) {
    for (int attempt = 1; ; attempt++) {
      try {
        StagedStream stream = new StagedStream(uri, DurableStream.create(fs, path));
        streams.add(stream);
        return stream;
      } catch (IOException e) {
        if (attempt == MOST_VANISHED || !path.equals(staging) || !parents.makeAgain(e)) {
          throw FileAccess.unavailable(uri, e);
        }
      }
    }
  }

  /**
   * Publishes the output. Streams still open are closed first.
   *
   * @return whether this output is now at the target; false only for an {@link #attempt} that came
   *     second
   * @throws WeftException {@code COMMIT_FAILED}: the target is as it was. {@code COMMIT_CONFLICT}:
   *     somebody else's output is there. {@code COMMIT_STATE_UNKNOWN}: neither could be
   *     established; look at the target before running again
   */
  public synchronized boolean commit() {
    if (state == State.GIVEN_UP) {
      throw UnfinishedOutputs.ending();
    }
    if (state != State.OPEN) {
      throw new IllegalStateException(uri + ": commit in state " + state);
    }
    if (!isFile && !isDirectory) {
      throw new IllegalStateException(uri + ": nothing was created");
    }
    state = State.FAILED;
    try {
      for (StagedStream stream : streams) {
        stream.finish();
      }
      if (isDevice) {
        state = State.COMMITTED;
        return true;
      }
      if (isDirectory) {
        AbandonedOutputs.removeFrom(fs, staging);
        syncFolders(fs, List.of(staging));
      }
      Publication publication = new Publication(uri, fs, staged(), target, isDirectory);
      boolean there = publication.targetExists();
      replaced = there;
      if (there && existing == Existing.KEEP) {
        return false;
      }
      if (there && existing == Existing.REFUSE) {
        throw publication.conflict(null);
      }
      if (there) {
        requireReplaceable(isDirectory);
        publication.replace(
            Folders.child(
                staging.getParent(),
                AbandonedOutputs.newName(target, AbandonedOutputs.ASIDE_SUFFIX)));
      } else {
        publication.publish();
      }
      state = State.COMMITTED;
      parents.sync();
      if (isMadeElsewhere) {
        removeStagingFolder();
      }
      if (existing != Existing.KEEP) {
        AbandonedOutputs.removeOf(fs, target);
      }
      return true;
    } catch (WeftException e) {
      if (e.code() == ErrorCode.COMMIT_CONFLICT && existing == Existing.KEEP) {
        return false;
      }
      if (e.code() == ErrorCode.COMMIT_STATE_UNKNOWN) {
        state = State.UNKNOWN;
      }
      throw e;
    }
  }

  /** The output has its place; what killed tasks left goes. */
  private void removeStagingFolder() {
    try {
      UnfinishedTree.remove(fs, staging);
    } catch (IOException e) {
      logger().log(System.Logger.Level.WARNING, "could not remove " + staging, e);
    }
  }

  /** A file replaces a file, a folder a folder of files; nothing else is deleted for an output. */
  private void requireReplaceable(boolean byDirectory) {
    if (existing != Existing.REPLACE) {
      return;
    }
    try {
      FileStatus present = fs.getFileStatus(target);
      if (present.isDirectory() != byDirectory) {
        throw new WeftException(
            ErrorCode.OUTPUT_EXISTS,
            uri
                + ": expected a "
                + (byDirectory ? "folder" : "file")
                + " to replace, found a "
                + (byDirectory ? "file" : "folder")
                + "; remove it or choose another name");
      }
      if (byDirectory) {
        for (FileStatus child : fs.listStatus(target)) {
          if (child.isDirectory()) {
            throw new WeftException(
                ErrorCode.OUTPUT_EXISTS,
                uri
                    + ": expected an output folder to replace, which holds files only, found folder '"
                    + child.getPath().getName()
                    + "' in it; remove it yourself or choose another name");
          }
        }
      }
    } catch (FileNotFoundException isNew) {
      return;
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private WeftException outputExists() {
    return new WeftException(
        ErrorCode.OUTPUT_EXISTS,
        uri + ": the output exists; choose another name or allow overwriting (--overwrite)");
  }

  /**
   * Removes everything that was not committed. After {@code COMMIT_STATE_UNKNOWN} nothing is
   * removed.
   */
  @Override
  public synchronized void close() {
    UnfinishedOutputs.remove(this);
    State before = state;
    state = State.CLOSED;
    if (before != State.OPEN && before != State.FAILED) {
      return;
    }
    for (StagedStream stream : streams) {
      stream.abandon();
    }
    remove(staging);
  }

  /** At the end of the process, whose other threads may still write: streams stay open. */
  @Override
  public synchronized void giveUp() {
    if (state != State.OPEN && state != State.FAILED) {
      return;
    }
    state = State.GIVEN_UP;
    remove(staging);
  }

  private void remove(Path output) {
    if (isDevice) {
      return;
    }
    try {
      UnfinishedTree.remove(fs, output);
      parents.remove();
    } catch (IOException e) {
      throw new WeftException(
          ErrorCode.STORAGE_UNAVAILABLE,
          uri + ": could not remove the unfinished output " + output + "; remove it by hand",
          e);
    }
  }

  /**
   * Removes what {@link #commit} has published: for an output that is of no use without another,
   * whose commit has failed since. One that replaced another stays, there is none to go back to.
   */
  public void withdraw() {
    if (state != State.COMMITTED) {
      throw new IllegalStateException(uri + ": withdrawal in state " + state);
    }
    if (!replaced) {
      remove(target);
    }
  }

  /** Found when there is something to say: a small job ends before loggers have started. */
  private static System.Logger logger() {
    return System.getLogger(OutputCommit.class.getName());
  }
}
