package org.weft.storage.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

/** Folders of outputs. */
public final class Folders {
  private static final int MOST_ATTEMPTS = 16;

  private Folders() {}

  /**
   * Makes a folder and those above it; it may be there already. Without its native library, Hadoop
   * starts a process for each folder on a local disk, to set permissions; here they are the
   * system's, as those of files are.
   *
   * @throws IOException if it cannot be made, or is a file
   */
  public static void make(FileSystem fs, Path path) throws IOException {
    Optional<java.nio.file.Path> folder = FileAccess.onDisk(fs, path);
    if (folder.isPresent()) {
      makeLocal(folder.get());
    } else if (!fs.mkdirs(path)) {
      throw new IOException("could not create folder " + path);
    }
  }

  /** Begins anew where an output that ends removes one folder before the next in it is made. */
  private static void makeLocal(java.nio.file.Path folder) throws IOException {
    for (int attempt = 1; !Files.isDirectory(folder); attempt++) { // a link to one is right
      try {
        Files.createDirectories(folder);
      } catch (NoSuchFileException e) {
        if (attempt == MOST_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Removes a folder that has nothing in it. Hadoop's local file system looks, and then deletes
   * with all that has come in between; the operating system does not.
   *
   * @return false if it is still there, because it is in use
   */
  public static boolean removeIfEmpty(FileSystem fs, Path folder) throws IOException {
    Optional<java.nio.file.Path> local = FileAccess.onDisk(fs, folder);
    try {
      if (local.isPresent()) {
        if (Files.exists(local.get())) { // its name may be too long to delete it
          Files.deleteIfExists(local.get());
        }
        return true;
      }
      return fs.listStatus(folder).length == 0 && fs.delete(folder, false);
    } catch (FileNotFoundException e) {
      return true;
    } catch (DirectoryNotEmptyException | PathIsNotEmptyDirectoryException e) {
      return false;
    }
  }

  /**
   * A child by name alone: {@code new Path(parent, name)} takes what is before a colon for a
   * scheme.
   */
  static Path child(Path parent, String name) {
    java.net.URI uri = parent.toUri();
    String folder = uri.getPath().endsWith("/") ? uri.getPath() : uri.getPath() + "/";
    return new Path(uri.getScheme(), uri.getAuthority(), folder + name);
  }
}
