package org.weft.storage.container;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.weft.storage.FileAccess;

/**
 * Where the data files of a version in the making go, claimed by its {@link ContainerTransaction};
 * travels to tasks.
 *
 * @param uri of the container
 * @param data the folder, relative to the container
 */
record DataFolder(FileAccess access, String uri, String data) implements Serializable {

  /** Path of a file {@code name} relative to the container. */
  String relative(String name) {
    return data + "/" + name;
  }

  /** A new data file; the caller closes the stream. */
  OutputStream create(String name) throws IOException {
    Path path = new Path(path(), name);
    return create(access.fileSystem(path), path);
  }

  /**
   * A new file that nobody else has made. Hadoop's local file system looks and then creates, so
   * that two writers may both think so; the operating system does not.
   *
   * @throws IOException of {@code java.nio.file} or Hadoop if there is one already
   */
  static OutputStream create(FileSystem fs, Path path) throws IOException {
    if (fs.getClass() == RawLocalFileSystem.class) {
      java.nio.file.Path file = ((RawLocalFileSystem) fs).pathToFile(path).toPath();
      return new BufferedOutputStream(
          Files.newOutputStream(file, StandardOpenOption.CREATE_NEW), 1 << 16);
    }
    return fs.createNonRecursive(
        path, false, 1 << 16, fs.getDefaultReplication(path), fs.getDefaultBlockSize(path), null);
  }

  /** Removes what attempts of tasks left that {@code committed} does not name. */
  void removeOthers(Manifest committed) {
    Set<String> named =
        committed.files().stream().map(Manifest.DataFile::path).collect(Collectors.toSet());
    try {
      FileSystem fs = access.fileSystem(path());
      for (FileStatus file : fs.listStatus(path())) {
        String name = file.getPath().getName();
        if (!name.equals(ContainerTransaction.CLAIM) && !named.contains(relative(name))) {
          fs.delete(file.getPath(), false);
        }
      }
    } catch (IOException e) {
      // The version is complete without this; ContainerGarbage finds what remains.
      System.getLogger(DataFolder.class.getName())
          .log(System.Logger.Level.DEBUG, "listing " + path(), e);
    }
  }

  private Path path() {
    return new Path(access.path(uri), data);
  }
}
