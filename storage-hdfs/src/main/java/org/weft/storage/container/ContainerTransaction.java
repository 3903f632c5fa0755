package org.weft.storage.container;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.DurableStream;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.Folders;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.file.UnfinishedOutputs;
import org.weft.storage.file.UnfinishedTree;
import org.weft.text.Counts;

/**
 * One version in the making. Data files go to {@code data/N}, which nobody reads until the manifest
 * gets its name {@code manifest-N.json} by a rename that refuses an existing target: the rename is
 * the commit, and of writers that began with the same version one wins. Closing without commit
 * removes what was written; what a killed writer leaves, {@link ContainerGarbage} removes.
 */
final class ContainerTransaction implements Closeable, UnfinishedOutputs.Unfinished {
  static final String DATA = "data";
  static final String CLAIM = "claim";
  private static final int MOST_CLAIMS = 10_000;
  private static final int MOST_VANISHED = 16;

  private final String uri;
  private final Versions versions;
  private final OwnFiles own;
  private final Existing existing;
  private final @Nullable Container base;
  private final long version;
  private final OutputCommit manifest;
  private final DataFolder folder;
  private boolean claimed;
  private boolean keep;
  private boolean givenUp;

  private ContainerTransaction(
      FileAccess access, String uri, Existing existing, @Nullable Container base, long version) {
    this.uri = uri;
    this.versions = new Versions(access, uri);
    this.own = new OwnFiles(versions.fileSystem());
    this.existing = existing;
    this.base = base;
    this.version = version;
    this.manifest = begin(access);
    synchronized (this) { // who gives up waits until there is what to remove
      try {
        UnfinishedOutputs.add(this);
        this.folder = new DataFolder(access, uri, claim());
        claimed = true;
      } catch (IOException e) {
        throw FileAccess.unavailable(uri, e);
      } finally {
        if (!claimed) {
          UnfinishedOutputs.remove(this);
          manifest.close();
        }
      }
    }
  }

  /**
   * Starts the first version, or one that replaces or keeps the entries of the present one.
   *
   * @throws WeftException {@code OUTPUT_EXISTS} if there is a version and it is to be refused
   */
  static ContainerTransaction begin(FileAccess access, String uri, Existing existing) {
    if (existing == Existing.APPEND) {
      Container base = Container.open(access, uri);
      return new ContainerTransaction(access, uri, existing, base, base.version() + 1);
    }
    long newest = requireNew(access, uri, existing);
    return new ContainerTransaction(access, uri, existing, null, newest + 1);
  }

  /** The commit of the manifest. */
  private OutputCommit begin(FileAccess access) {
    try {
      return OutputCommit.begin(access, uri + "/" + ManifestFile.name(version), false);
    } catch (WeftException e) {
      // Between our look at the newest version and now.
      throw e.code() == ErrorCode.OUTPUT_EXISTS ? conflict(version, e) : e;
    }
  }

  /** The newest version's number, which must be 0 if versions are to be refused. */
  static long requireNew(FileAccess access, String uri, Existing existing) {
    Versions versions = new Versions(access, uri);
    try {
      FileSystem fs = versions.fileSystem();
      if (fs.exists(versions.folder()) && !fs.getFileStatus(versions.folder()).isDirectory()) {
        throw new WeftException(
            ErrorCode.OUTPUT_EXISTS,
            uri + ": expected a tensor folder or nothing, found a file; remove it yourself");
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    long newest = versions.newest();
    if (newest > 0 && existing == Existing.REFUSE) {
      throw new WeftException(
          ErrorCode.OUTPUT_EXISTS,
          uri
              + ": the output exists (version "
              + newest
              + "); choose another name, or allow overwriting (--overwrite), which makes a new version");
    }
    if (newest == 0 && existing == Existing.REFUSE) {
      requireNothingElse(uri, versions);
    }
    return newest;
  }

  private static void requireNothingElse(String uri, Versions versions) {
    try {
      String found = new OwnFiles(versions.fileSystem()).foreign(versions.folder(), DATA);
      if (found != null) {
        throw new WeftException(
            ErrorCode.OUTPUT_EXISTS,
            uri
                + ": expected a tensor's folder or nothing, found a folder with '"
                + found
                + "' and no tensor; choose another name, or allow overwriting (--overwrite), which"
                + " leaves its files in their place");
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** A folder of our own: {@code data/N}, or {@code data/N-2} and so on if others have it. */
  private String claim() throws IOException {
    FileSystem fs = versions.fileSystem();
    own.requireNoLink(versions.resolve(DATA));
    for (int n = 1; n <= MOST_CLAIMS; n++) {
      String name = DATA + "/" + version + (n == 1 ? "" : "-" + n);
      Path folder = versions.resolve(name);
      boolean ours = false;
      try {
        Folders.make(fs, folder);
        if (own.list(folder).length == 0) {
          OutputStream claim = DurableStream.create(fs, new Path(folder, CLAIM));
          ours = true;
          claim.close();
          return name;
        }
      } catch (org.apache.hadoop.fs.FileAlreadyExistsException
          | java.nio.file.FileAlreadyExistsException e) {
        System.getLogger(ContainerTransaction.class.getName())
            .log(System.Logger.Level.DEBUG, "{0} is another writer''s", folder);
      } catch (IOException e) {
        if (ours) {
          discard(name);
          throw e;
        }
        // One that was overtaken took its folder away, or gc an old one that was empty.
        boolean vanished =
            e instanceof FileNotFoundException
                || e instanceof NoSuchFileException
                || !fs.exists(folder);
        if (!vanished || n >= MOST_VANISHED) {
          own.removeIfEmpty(folder);
          throw e;
        }
      }
    }
    throw new IOException("no free folder for version " + version + "; run weft gc " + uri);
  }

  String uri() {
    return uri;
  }

  long version() {
    return version;
  }

  /** The version whose entries are kept, if any are. */
  @Nullable Container base() {
    return base;
  }

  /** Where the data files of this version go. */
  DataFolder folder() {
    return folder;
  }

  /**
   * Publishes the version.
   *
   * @return false if {@code KEEP} was asked for and another version is there
   * @throws WeftException {@code COMMIT_CONFLICT}: another writer made this version or a later one;
   *     {@code COMMIT_FAILED}: nothing was published; {@code COMMIT_STATE_UNKNOWN}: look before
   *     running again
   */
  synchronized boolean commit(Manifest finished) throws IOException {
    if (existing == Existing.KEEP && versions.newest() > 0) {
      return false;
    }
    requireFiles(finished);
    folder.sync();
    try (OutputStream out = manifest.create()) {
      out.write(ManifestFile.encode(finished));
    }
    try {
      manifest.commit();
    } catch (WeftException e) {
      if (e.code() == ErrorCode.COMMIT_CONFLICT) {
        if (existing == Existing.KEEP) {
          return false;
        }
        throw conflict(version, e);
      }
      keep = e.code() == ErrorCode.COMMIT_STATE_UNKNOWN;
      throw e;
    }
    keep = true;
    requireClaim();
    requireNewest();
    folder.removeOthers(finished);
    return true;
  }

  /**
   * {@link ContainerGarbage} removes the claim, then looks for versions, then removes the files of
   * none: with the claim in its place after our rename, ours is seen.
   */
  private void requireClaim() throws IOException {
    if (!versions.fileSystem().exists(versions.resolve(folder.relative(CLAIM)))) {
      withdraw();
      throw new WeftException(
          ErrorCode.COMMIT_FAILED,
          uri
              + ": expected the unfinished version to be left alone, found its claim removed; run"
              + " again, and weft gc with a --grace that is longer than writing takes");
    }
  }

  private void withdraw() throws IOException {
    versions.fileSystem().delete(versions.resolve(ManifestFile.name(version)), false);
    keep = false;
  }

  /**
   * Whoever was overtaken by so much that the competing version has expired is second, too. A later
   * version with our files in it went on from ours; one that expires while we look says nothing.
   */
  private void requireNewest() throws IOException {
    for (long next = versions.after(version); next > 0; next = versions.after(next)) {
      Manifest later;
      try {
        later = versions.read(next);
      } catch (WeftException e) {
        if (e.code() == ErrorCode.INPUT_NOT_FOUND) {
          continue;
        }
        throw e;
      }
      if (!later.hasFilesIn(folder.data())) {
        withdraw();
        throw conflict(next, null);
      }
      return;
    }
  }

  private WeftException conflict(long theirs, @Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.COMMIT_CONFLICT,
        uri
            + ": another process wrote version "
            + theirs
            + " in the meantime, and that version is kept; run again to go on from it",
        cause);
  }

  /** A file that was removed under our hands must not be named by a manifest. */
  private void requireFiles(Manifest finished) throws IOException {
    for (Manifest.DataFile file : finished.files()) {
      Path path = versions.resolve(file.path());
      long found;
      try {
        found = versions.fileSystem().getFileStatus(path).getLen();
      } catch (FileNotFoundException e) {
        found = -1;
      }
      if (found != file.bytes()) {
        throw new WeftException(
            ErrorCode.COMMIT_FAILED,
            uri
                + ": expected "
                + path
                + " with "
                + Counts.plain(file.bytes(), "byte")
                + ", found "
                + (found < 0 ? "nothing" : Counts.plain(found, "byte"))
                + "; the target is as it was before, run again");
      }
    }
  }

  /** Removes a folder of ours; once it has gone, tasks of a failed job make no files in it. */
  private void discard(String name) throws IOException {
    UnfinishedTree.remove(versions.fileSystem(), versions.resolve(name));
    own.removeIfEmpty(versions.resolve(DATA));
  }

  /** Removes what was not committed. */
  @Override
  public synchronized void close() {
    UnfinishedOutputs.remove(this);
    if (givenUp) {
      return;
    }
    if (!keep) {
      try {
        discard(folder.data());
      } catch (IOException e) {
        throw new WeftException(
            ErrorCode.STORAGE_UNAVAILABLE,
            uri + ": could not remove the unfinished version; run weft gc " + uri,
            e);
      }
    }
    manifest.close();
  }

  /** At the end of the process, whose tasks may still write into the folder. */
  @Override
  public synchronized void giveUp() {
    if (!claimed || keep || givenUp) {
      return;
    }
    givenUp = true;
    try {
      discard(folder.data());
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    manifest.giveUp();
  }
}
