package org.weft.storage.container;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.storage.file.DurableStream;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;

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
    return DurableStream.create(access.fileSystem(path), path);
  }

  /** Brings the names of the data files, and the folder's own, to disk. */
  void sync() {
    Path path = path();
    OutputCommit.syncFolders(access.fileSystem(path), List.of(path, path.getParent()));
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
