package org.weft.jobs;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Constructor;
import java.net.URI;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** The local file system under {@code faulty:}, with one fault. */
public class FailingFileSystem extends FilterFileSystem {
  enum Fault {
    NONE,
    PROBE,
    WRITE_EXCEPTION,
    WRITE_ERROR,
    RENAME
  }

  static volatile Fault fault = Fault.NONE;

  public FailingFileSystem() {
    super(new WithoutProcesses());
  }

  /** Hadoop starts a {@code chmod} for every file and folder. */
  private static final class WithoutProcesses extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) {}
  }

  @Override
  public void initialize(URI name, Configuration configuration) throws IOException {
    fs.initialize(URI.create("file:///"), configuration);
    setConf(configuration);
  }

  @Override
  public URI getUri() {
    return URI.create("faulty:///");
  }

  @Override
  protected void checkPath(Path path) {}

  /** Before each operation, and each write of a stream. */
  protected void before() {}

  private static Path local(Path path) {
    return new Path("file", "", path.toUri().getPath());
  }

  @Override
  public Path makeQualified(Path path) {
    return path.makeQualified(getUri(), fs.getWorkingDirectory());
  }

  @Override
  public Path resolvePath(Path path) {
    return makeQualified(path);
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    return fs.listLocatedStatus(local(path));
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    fs.setPermission(local(path), permission);
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferBytes,
      short replication,
      long blockBytes,
      Progressable progress)
      throws IOException {
    requireCreation();
    return failing(
        fs.create(
            local(path), permission, overwrite, bufferBytes, replication, blockBytes, progress));
  }

  private void requireCreation() throws IOException {
    before();
    if (fault == Fault.PROBE) {
      throw new IOException("injected: no file can be made");
    }
  }

  private FSDataOutputStream failing(OutputStream out) {
    return new FSDataOutputStream(new FailingStream(out, this), null);
  }

  @Override
  public FsStatus getStatus(Path path) throws IOException {
    return fs.getStatus(local(path));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    before();
    return fs.getFileStatus(local(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    before();
    return fs.listStatus(local(path));
  }

  @Override
  public FSDataInputStream open(Path path, int bufferBytes) throws IOException {
    before();
    return fs.open(local(path), bufferBytes);
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    before();
    return fs.mkdirs(local(path));
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    before();
    return fs.mkdirs(local(path));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    before();
    return fs.delete(local(path), recursive);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    before();
    if (fault == Fault.RENAME) {
      throw new IOException("injected: rename");
    }
    return fs.rename(local(from), local(to));
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferBytes,
      short replication,
      long blockBytes,
      Progressable progress)
      throws IOException {
    requireCreation();
    return failing(
        fs.createNonRecursive(
            local(path), permission, flags, bufferBytes, replication, blockBytes, progress));
  }

  /** Only Hadoop can make one. */
  private static FSError fullDisk() {
    try {
      Constructor<FSError> made = FSError.class.getDeclaredConstructor(Throwable.class);
      made.setAccessible(true);
      return made.newInstance(new IOException("No space left on device"));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Takes a probe's byte, and fails on more. */
  private static final class FailingStream extends FilterOutputStream {
    private final FailingFileSystem system;
    private long written;

    FailingStream(OutputStream out, FailingFileSystem system) {
      super(out);
      this.system = system;
    }

    @Override
    public void write(int b) throws IOException {
      fail(1);
      out.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      fail(length);
      out.write(bytes, offset, length);
    }

    private void fail(int length) throws IOException {
      system.before();
      written += length;
      if (written > 1) {
        throwFault();
      }
    }

    private static void throwFault() throws IOException {
      if (fault == Fault.WRITE_EXCEPTION) {
        throw new IOException("injected: No space left on device");
      } else if (fault == Fault.WRITE_ERROR) {
        throw fullDisk();
      }
    }

    @Override
    public void close() throws IOException {
      out.close();
      if (written > 1) {
        throwFault();
      }
    }
  }
}
