package org.weft.storage.file;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/** The local file system under {@code faulty:}, with the faults that a test asks for. */
public final class FaultyFileSystem extends LocalStandIn {
  public enum Fault {
    NONE,
    RENAME_FALSE,
    RENAME_THROWS,
    RENAME_SUCCEEDS_THEN_FALSE,
    RENAME_SUCCEEDS_THEN_THROWS,
    RENAME_LOSES_THE_FILE,
    RENAME_THROWS_AND_NOTHING_ANSWERS,
    /** Somebody else has moved the file away; the next rename has no fault. */
    SOURCE_GOES,
    /** As a NameNode answers, with its stack trace. */
    RENAME_THROWS_LINES,
    TARGET_APPEARS,
    WRITE_FAILS_HALF_WAY,
    /**
     * As Hadoop's local file system on a full disk: an error, no exception, and on closing again.
     */
    WRITE_THROWS_ERROR,
    CREATE_FAILS,
    CLOSE_FAILS
  }

  public static Fault fault = Fault.NONE;

  /** Renames to let pass before the fault. */
  public static int sparedRenames;

  /** What happens elsewhere between a rename and its answer. */
  public static @Nullable Meanwhile afterRename;

  /** Name of a file that is removed just before it is opened. */
  public static @Nullable String vanishing;

  /** What happens to files, in its order: {@code write NAME}, {@code sync NAME}, {@code rename}. */
  public static @Nullable List<String> journal;

  private static void note(String event) {
    if (journal != null) {
      journal.add(event);
    }
  }

  /**
   * Operations until the process dies: from then on every one fails, so that nothing is cleaned up;
   * negative: never.
   */
  public static int operationsLeft = -1;

  private static void operation() throws IOException {
    if (operationsLeft == 0) {
      throw new IOException("injected: the process died");
    }
    if (operationsLeft > 0) {
      operationsLeft--;
    }
  }

  /** Somebody else's work. */
  public interface Meanwhile {
    void run() throws Exception;
  }

  private boolean silent;

  public FaultyFileSystem() {
    super("faulty", new InProcess());
  }

  /** Sets permissions without {@code chmod}: Hadoop starts a process for every file and folder. */
  private static final class InProcess extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      Files.setPosixFilePermissions(
          pathToFile(path).toPath(),
          PosixFilePermissions.fromString(
              permission.getUserAction().SYMBOL
                  + permission.getGroupAction().SYMBOL
                  + permission.getOtherAction().SYMBOL));
    }
  }

  public static FileAccess access() {
    return access("faulty", FaultyFileSystem.class);
  }

  private static Path local(Path path) {
    return new Path("file", "", path.toUri().getPath());
  }

  @Override
  public boolean exists(Path path) throws IOException {
    operation();
    if (silent) {
      throw new IOException("injected: no answer");
    }
    return Files.exists(java.nio.file.Path.of(path.toUri().getPath()));
  }

  @Override
  public org.apache.hadoop.fs.FileStatus getFileStatus(Path path) throws IOException {
    operation();
    return fs.getFileStatus(local(path));
  }

  @Override
  public org.apache.hadoop.fs.FileStatus[] listStatus(Path path) throws IOException {
    operation();
    return fs.listStatus(local(path));
  }

  @Override
  public org.apache.hadoop.fs.FSDataInputStream open(Path path, int bufferSize) throws IOException {
    operation();
    if (path.getName().equals(vanishing)) {
      vanishing = null;
      fs.delete(local(path), false);
    }
    return fs.open(local(path), bufferSize);
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    operation();
    return fs.mkdirs(local(path));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    operation();
    return fs.delete(local(path), recursive);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    operation();
    note("rename");
    Path source = local(from);
    Path target = local(to);
    if (sparedRenames-- > 0) {
      return fs.rename(source, target);
    }
    if (operationsLeft > 0) {
      boolean renamed = fs.rename(source, target);
      operation(); // the answer may not arrive
      return renamed;
    }
    switch (fault) {
      case RENAME_FALSE:
        return false;
      case RENAME_THROWS:
        throw new IOException("injected: before the rename");
      case RENAME_SUCCEEDS_THEN_FALSE:
        fs.rename(source, target);
        return false;
      case RENAME_SUCCEEDS_THEN_THROWS:
        fs.rename(source, target);
        throw new IOException("injected: after the rename");
      case RENAME_LOSES_THE_FILE:
        fs.delete(source, true);
        throw new IOException("injected: lost");
      case RENAME_THROWS_AND_NOTHING_ANSWERS:
        silent = true;
        throw new IOException("injected: connection lost");
      case SOURCE_GOES:
        fault = Fault.NONE;
        fs.delete(source, true);
        throw new java.io.FileNotFoundException("injected: source is not found");
      case RENAME_THROWS_LINES:
        throw new IOException(
            "injected: refused\n\tat org.apache.hadoop.Server.call(Server.java:1)");
      case TARGET_APPEARS:
        Files.writeString(java.nio.file.Path.of(to.toUri().getPath()), "theirs");
        return false;
      default:
        boolean renamed = fs.rename(source, target);
        if (afterRename != null) {
          try {
            afterRename.run();
          } catch (Exception e) {
            throw new IOException(e);
          }
        }
        return renamed;
    }
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path path,
      FsPermission permission,
      java.util.EnumSet<org.apache.hadoop.fs.CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    operation();
    if (fault == Fault.CREATE_FAILS) {
      throw new IOException("injected: " + path + " cannot be created");
    }
    FSDataOutputStream out =
        fs.createNonRecursive(
            local(path), null, flags, bufferSize, replication, blockSize, progress);
    return new FSDataOutputStream(new FaultyStream(path.getName(), out), null);
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

  private static final class FaultyStream extends OutputStream
      implements Syncable, StreamCapabilities {
    private final String name;
    private final OutputStream out;
    private int written;

    FaultyStream(String name, OutputStream out) {
      this.name = name;
      this.out = out;
    }

    @Override
    public boolean hasCapability(String capability) {
      return capability.equals(HSYNC);
    }

    @Override
    public void hsync() {
      note("sync " + name);
    }

    @Override
    public void hflush() {}

    @Override
    public void write(int b) throws IOException {
      note("write " + name);
      if (operationsLeft == 0) {
        operation();
      }
      if (fault == Fault.WRITE_FAILS_HALF_WAY && ++written > 3) {
        throw new IOException("injected: No space left on device");
      }
      if (fault == Fault.WRITE_THROWS_ERROR && ++written > 3) {
        throw fullDisk();
      }
      out.write(b);
    }

    /** The last thing that a dying process does may be half of this. */
    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (operationsLeft < 0) {
        super.write(bytes, offset, length);
        return;
      }
      note("write " + name);
      operation();
      boolean dies = operationsLeft == 0;
      out.write(bytes, offset, dies ? length / 2 : length);
      if (dies) {
        out.flush();
        operation();
      }
    }

    @Override
    public void close() throws IOException {
      operation();
      out.close();
      if (fault == Fault.WRITE_THROWS_ERROR) {
        throw fullDisk();
      }
      if (fault == Fault.CLOSE_FAILS) {
        throw new IOException("injected: close");
      }
    }
  }
}
