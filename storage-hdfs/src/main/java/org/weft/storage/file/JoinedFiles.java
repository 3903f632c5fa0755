package org.weft.storage.file;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** Files that become one file, one after the other, without a copy of their bytes. */
public final class JoinedFiles {
  private JoinedFiles() {}

  /**
   * Whether several files in the folder of {@code target}, which is there, can become {@code
   * target}. HDFS refuses it where files are encrypted.
   */
  public static boolean areOffered(FileAccess access, String target) {
    Path folder = access.path(target).getParent();
    FileSystem fs = access.fileSystem(folder);
    try {
      return fs instanceof DistributedFileSystem && !fs.getFileStatus(folder).isEncrypted();
    } catch (IOException e) {
      throw FileAccess.unavailable(target, e);
    }
  }

  /**
   * Makes {@code target} of files beside it, which are gone then.
   *
   * @param parts in order; at least one, none of them empty
   */
  public static void join(FileAccess access, List<String> parts, String target) {
    Path first = access.path(parts.get(0));
    FileSystem fs = access.fileSystem(first);
    Path[] others = parts.stream().skip(1).map(access::path).toArray(Path[]::new);
    try {
      if (others.length > 0) {
        fs.concat(first, others);
      }
      if (!fs.rename(first, access.path(target))) {
        throw new IOException("the file system refused to rename " + first.getName());
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(target, e);
    }
  }
}
