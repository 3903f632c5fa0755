package org.weft.scratch;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.Reasons;
import org.weft.error.WeftException;

/**
 * The folder of this process below {@code java.io.tmpdir}, named {@code weft-run-PID-NUMBER}: for
 * this user alone, made when something is first put there, removed when the process ends. A process
 * that is killed leaves it; a lock on the file {@code lock} in it tells those that live from those
 * that do not. Thread-safe.
 */
public final class ScratchFolder {
  static final String PREFIX = "weft-run-";
  static final String LOCK = "lock";

  private static final int ATTEMPTS = 20;
  private static final int PAUSE_MILLIS = 20;

  private static @Nullable ScratchFolder current;
  private static boolean ending;

  private final Path folder;
  private final FileChannel lock;

  private ScratchFolder(Path folder, FileChannel lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * A new empty file, which its user deletes.
   *
   * @throws WeftException {@code STORAGE_UNAVAILABLE} if the folder for temporary files is full or
   *     cannot be written
   */
  public static Path newFile(String prefix, String suffix) {
    try {
      return Files.createTempFile(folder(), prefix, suffix);
    } catch (IOException e) {
      throw unavailable(e);
    }
  }

  /** A new empty folder, which its user deletes; errors as those of {@link #newFile}. */
  public static Path newFolder(String prefix) {
    try {
      return Files.createTempDirectory(folder(), prefix);
    } catch (IOException e) {
      throw unavailable(e);
    }
  }

  /** What a failure to write a temporary file means. */
  public static WeftException unavailable(IOException e) {
    String folder = System.getProperty("java.io.tmpdir");
    String found =
        Files.isDirectory(Path.of(folder))
            ? ": expected room for temporary files, found " + Reasons.of(e) + "; free space there"
            : ": expected a folder for temporary files, found none; make it";
    return new WeftException(
        ErrorCode.STORAGE_UNAVAILABLE,
        folder + found + ", or name another folder (WEFT_JAVA_OPTS=-Djava.io.tmpdir=DIR)",
        e);
  }

  private static synchronized Path folder() throws IOException {
    ScratchFolder made = current;
    if (made == null) {
      if (ending) {
        throw new IOException("the process is ending");
      }
      made = make(Path.of(System.getProperty("java.io.tmpdir")));
      current = made;
      Runtime.getRuntime().addShutdownHook(new Thread(ScratchFolder::end, "weft-scratch"));
    }
    return made.folder;
  }

  /** The lock is there under its name only once it is held: whoever sees it free may delete. */
  private static ScratchFolder make(Path parent) throws IOException {
    FileAttribute<Set<PosixFilePermission>> ours =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    String prefix = PREFIX + ProcessHandle.current().pid() + "-";
    Path folder = Files.createTempDirectory(parent, prefix, ours);
    Path unlocked = folder.resolve("lock.new");
    FileChannel lock =
        FileChannel.open(unlocked, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      lock.lock();
      Files.move(unlocked, folder.resolve(LOCK));
    } catch (IOException e) {
      lock.close();
      AbandonedFolders.delete(folder);
      throw e;
    }
    return new ScratchFolder(folder, lock);
  }

  /** Removes this process's folder, for good: the process is about to end. */
  public static synchronized void end() {
    ending = true;
    ScratchFolder made = current;
    current = null;
    if (made == null) {
      return;
    }
    try {
      delete(made.folder);
      made.lock.close();
    } catch (IOException e) {
      System.getLogger(ScratchFolder.class.getName())
          .log(System.Logger.Level.DEBUG, "left for the next process: " + made.folder, e);
    }
  }

  /** Other threads may be in the midst of making a file, or of filling a folder. */
  static void delete(Path folder) throws IOException {
    for (int left = ATTEMPTS; ; left--) {
      try {
        AbandonedFolders.delete(folder);
        return;
      } catch (DirectoryNotEmptyException e) {
        if (left == 0) {
          throw e;
        }
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the process ends: what is left to do is done at once
      }
    }
  }
}
