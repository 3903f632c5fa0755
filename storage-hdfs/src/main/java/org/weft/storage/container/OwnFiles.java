package org.weft.storage.container;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.Folders;

/**
 * What in a container's folder is of our own making, told by name and by not being a link, and how
 * to look at it and remove it without following one.
 */
final class OwnFiles {
  private static final int LISTINGS = 100;
  private static final Pattern DATA_FOLDER = Pattern.compile("[1-9][0-9]{0,18}(-[1-9][0-9]{0,4})?");
  private static final Pattern DATA_FILE =
      Pattern.compile("(part|entries|labels)[A-Za-z0-9._-]*-[0-9]{5,}\\.bin");
  private static final Pattern PATH =
      Pattern.compile(
          "[A-Za-z0-9_-][A-Za-z0-9._-]{0,249}(/[A-Za-z0-9_-][A-Za-z0-9._-]{0,249}){0,7}");
  private static final Pattern UNFINISHED =
      Pattern.compile("\\..+\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.weft-tmp");

  private final FileSystem fs;

  OwnFiles(FileSystem fs) {
    this.fs = fs;
  }

  /** Whether {@code name} is that of a writer's folder below {@code data}. */
  static boolean isDataFolder(String name) {
    return DATA_FOLDER.matcher(name).matches();
  }

  /** Whether {@code name} is that of a file with arrays. */
  static boolean isDataFile(String name) {
    return DATA_FILE.matcher(name).matches();
  }

  /**
   * Whether a manifest may name a file so: up to 8 plain names, one in the other, none of which
   * begins with a dot. So neither a scheme, nor another folder, nor anything hidden.
   */
  static boolean isPlainPath(String path) {
    return PATH.matcher(path).matches();
  }

  /** Whether {@code name} is that of an output before its commit. */
  static boolean isUnfinished(String name) {
    return UNFINISHED.matcher(name).matches();
  }

  /** Whether the last name of the path that {@code status} was listed under is a link. */
  boolean isLink(FileStatus status) {
    return status.isSymlink()
        || (fs instanceof RawLocalFileSystem && Files.isSymbolicLink(local(status.getPath())));
  }

  boolean isFolder(FileStatus status) {
    return status.isDirectory() && !isLink(status);
  }

  boolean isFile(FileStatus status) {
    return status.isFile() && !isLink(status);
  }

  /**
   * What a folder holds; nothing if it has gone. One that goes, or goes and comes back, while
   * Hadoop's local file system lists it is any error at all there.
   */
  FileStatus[] list(Path folder) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return fs.listStatus(folder);
      } catch (FileNotFoundException e) {
        return new FileStatus[0];
      } catch (IOException e) {
        boolean local = fs instanceof RawLocalFileSystem;
        if (!local || attempt == LISTINGS) {
          throw e;
        }
        if (!fs.exists(folder)) {
          return new FileStatus[0];
        }
      }
    }
  }

  /**
   * The name of what no writer puts into a container's folder: neither hidden, nor the folder
   * {@code data} of writers' folders; null if there is none.
   */
  @Nullable String foreign(Path container, String data) throws IOException {
    for (FileStatus child : list(container)) {
      String name = child.getPath().getName();
      if (isHidden(name)) {
        continue;
      }
      if (name.equals(data) && isLink(child)) {
        continue; // which has an error of its own
      }
      if (!name.equals(data) || !isFolder(child)) {
        return name;
      }
      for (FileStatus folder : list(child.getPath())) {
        String inside = folder.getPath().getName();
        if (!isHidden(inside) && !isDataFolder(inside)) {
          return name + "/" + inside;
        }
      }
    }
    return null;
  }

  private static boolean isHidden(String name) {
    return name.startsWith(".") || name.startsWith("_");
  }

  /** Removes a file; false if there is none any more. */
  boolean removeFile(Path file) throws IOException {
    if (fs instanceof RawLocalFileSystem) {
      return Files.deleteIfExists(local(file));
    }
    return fs.delete(file, false);
  }

  /** Removes a folder that has nothing in it, and is not in use. */
  void removeIfEmpty(Path folder) throws IOException {
    if (list(folder).length == 0) {
      Folders.removeIfEmpty(fs, folder);
    }
  }

  /**
   * Removes a file or a folder with all that is in it; links stay, and so do the folders that hold
   * them.
   */
  void removeTree(FileStatus file) throws IOException {
    if (isFile(file)) {
      removeFile(file.getPath());
    } else if (isFolder(file)) {
      for (FileStatus child : list(file.getPath())) {
        removeTree(child);
      }
      removeIfEmpty(file.getPath());
    }
  }

  /**
   * The regular file that {@code path} names on the local disk, from a look at all links on the way
   * to it.
   *
   * @param folder of the container
   * @throws WeftException {@code CORRUPT_INPUT} if the way leaves the container
   * @throws java.nio.file.NoSuchFileException if there is none
   */
  static java.nio.file.Path inside(Path folder, Path path) throws IOException {
    java.nio.file.Path within = local(folder).toRealPath();
    java.nio.file.Path file = local(path).toRealPath();
    if (!file.startsWith(within) || !Files.isRegularFile(file)) {
      String found =
          Files.isRegularFile(file) ? "a link that leads to " + file : "what is no regular file";
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          path
              + ": expected a data file inside the tensor's folder, found "
              + found
              + "; copy the tensor with its files instead of linking them");
    }
    return file;
  }

  /** Throws unless {@code data}, if it is there, is a folder and no link to one elsewhere. */
  void requireNoLink(Path data) throws IOException {
    if (fs instanceof RawLocalFileSystem && Files.isSymbolicLink(local(data))) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          data
              + ": expected a folder, found a link; put the tensor's files into its folder, or link"
              + " to the tensor as a whole");
    }
  }

  private static java.nio.file.Path local(Path path) {
    return java.nio.file.Path.of(path.toUri().getPath());
  }
}
