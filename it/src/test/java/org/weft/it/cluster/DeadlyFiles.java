package org.weft.it.cluster;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Local files under the scheme {@code deadly}: the first executor that is about to close a file
 * that it has written is killed. It is the first one while the file that {@code weft.test.deadly}
 * names is not there. The driver is spared.
 */
public final class DeadlyFiles extends RawLocalFileSystem {
  public static final String SCHEME = "deadly";
  public static final String MARKER = "weft.test.deadly";

  @Override
  public URI getUri() {
    return URI.create(SCHEME + ":///");
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public void initialize(URI uri, Configuration conf) throws IOException {
    super.initialize(getUri(), conf);
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path file,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    OutputStream out =
        super.createNonRecursive(
            file, permission, overwrite, bufferSize, replication, blockSize, progress);
    return new FSDataOutputStream(new Deadly(out), statistics);
  }

  final class Deadly extends FilterOutputStream {
    Deadly(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      out.write(bytes, from, count);
    }

    @Override
    public void close() throws IOException {
      die();
      super.close();
    }
  }

  private void die() throws IOException {
    String marker = getConf().get(MARKER, "");
    boolean executor = System.getProperty("sun.java.command", "").contains("CoarseGrained");
    if (marker.isEmpty() || !executor) {
      return;
    }
    try {
      Files.createFile(Paths.get(marker));
    } catch (FileAlreadyExistsException e) {
      return;
    }
    Runtime.getRuntime().halt(137);
  }
}
