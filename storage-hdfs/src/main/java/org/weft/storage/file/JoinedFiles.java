package org.weft.storage.file;

import static java.lang.System.Logger.Level.INFO;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.ipc.RemoteException;

/**
 * Files that become one file, one after the other: without a copy of their bytes, unless HDFS
 * refuses that.
 */
public final class JoinedFiles {
  private static final System.Logger LOG = System.getLogger(JoinedFiles.class.getName());

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
   * Makes {@code target} of files beside it, which are gone then. HDFS does not join files that a
   * snapshot has, for instance, which may be taken at any time.
   *
   * @param parts in order; at least one, none of them empty
   */
  public static void join(FileAccess access, List<String> parts, String target) {
    Path first = access.path(parts.get(0));
    FileSystem fs = access.fileSystem(first);
    Path[] others = parts.stream().skip(1).map(access::path).toArray(Path[]::new);
    try {
      try {
        if (others.length > 0) {
          fs.concat(first, others);
        }
      } catch (RemoteException e) {
        LOG.log(INFO, "{0} is copied from its parts: {1}", target, e.getMessage());
        copy(access, parts, target);
        return;
      }
      if (!fs.rename(first, access.path(target))) {
        throw new IOException("the file system refused to rename " + first.getName());
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(target, e);
    }
  }

  private static void copy(FileAccess access, List<String> parts, String target)
      throws IOException {
    try (OutputCommit output = OutputCommit.attempt(access, target)) {
      try (OutputStream out = output.create()) {
        for (String part : parts) {
          try (InputStream in = access.fileSystem(access.path(part)).open(access.path(part))) {
            in.transferTo(out);
          }
        }
      }
      output.commit();
    }
    for (String part : parts) {
      access.fileSystem(access.path(part)).delete(access.path(part), false);
    }
  }
}
