package org.weft.storage.file;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Symbolic links of a local disk. */
final class Links {
  private static final int MOST = 40; // as Linux follows

  private Links() {}

  /**
   * Where an output goes that is called {@code path}: the end of the link that stands there, if one
   * does, because a rename to the link's own name would put the output in the place of the link.
   * The end need not exist.
   */
  static Path followed(FileSystem fs, Path path) {
    Optional<java.nio.file.Path> local = FileAccess.onDisk(fs, path);
    if (local.isEmpty() || !Files.isSymbolicLink(local.get())) {
      return path;
    }
    java.nio.file.Path end = local.get();
    try {
      for (int links = 0; links < MOST && Files.isSymbolicLink(end); links++) {
        end = end.resolveSibling(Files.readSymbolicLink(end));
      }
    } catch (IOException e) {
      return path; // what reads or writes there says so
    }
    java.net.URI uri = path.toUri();
    return new Path(uri.getScheme(), uri.getAuthority(), end.toString());
  }
}
