package org.weft.storage.file;

import java.io.IOException;
import java.net.URI;
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
    URI uri = path.toUri();
    return new Path(uri.getScheme(), uri.getAuthority(), end.toString());
  }

  /** {@code path} without links, also in the folders above it, which need not be there. */
  static URI resolved(FileSystem fs, Path path) {
    Path end = followed(fs, path);
    Optional<java.nio.file.Path> local = FileAccess.onDisk(fs, end);
    if (local.isEmpty()) {
      return fs.makeQualified(end).toUri().normalize();
    }
    java.nio.file.Path whole = local.get().toAbsolutePath().normalize();
    java.nio.file.Path there = whole;
    while (there.getParent() != null && !Files.exists(there)) {
      there = there.getParent();
    }
    try {
      whole = there.toRealPath().resolve(there.relativize(whole));
    } catch (IOException e) {
      // what writes there says so
    }
    return new Path(whole.toString()).toUri();
  }
}
