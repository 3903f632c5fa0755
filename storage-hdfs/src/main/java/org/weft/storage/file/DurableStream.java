package org.weft.storage.file;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Optional;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * The bytes of a new file, which are on disk when {@link #close} returns, on file systems that can
 * do that: the local one and HDFS. Every file that Weft makes is written through one, so that this
 * is where the faults of file systems become {@link IOException}s: Hadoop's local file system
 * throws {@link FSError}, which is no exception, when a disk is full.
 */
public final class DurableStream extends OutputStream {
  private static final int BUFFER_BYTES = 1 << 16;

  /** How bytes get from the operating system, or from data nodes, to the disk. */
  private interface Sync {
    void run() throws IOException;
  }

  private final OutputStream out;
  private final Sync sync;
  private boolean failed;
  private boolean closed;

  private DurableStream(OutputStream out, Sync sync) {
    this.out = out;
    this.sync = sync;
  }

  /**
   * A new file that nobody else has made, or a device. Hadoop's local file system looks and then
   * creates, so that two writers may both think so; the operating system does not.
   *
   * @throws IOException of {@code java.nio.file} or Hadoop if there is one already, or no folder
   */
  public static DurableStream create(FileSystem fs, Path path) throws IOException {
    Optional<java.nio.file.Path> file = FileAccess.onDisk(fs, path);
    if (Devices.isDevice(fs, path)) {
      OutputStream out = Files.newOutputStream(file.orElseThrow(), StandardOpenOption.WRITE);
      return new DurableStream(new BufferedOutputStream(out, BUFFER_BYTES), () -> {});
    }
    if (file.isPresent()) {
      FileChannel channel =
          FileChannel.open(file.get(), StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
      return new DurableStream(out, () -> channel.force(true));
    }
    short replication = fs.getDefaultReplication(path);
    long blockSize = fs.getDefaultBlockSize(path);
    try {
      FSDataOutputStream out =
          fs instanceof DistributedFileSystem
              ? fs.createNonRecursive(
                  path,
                  FsPermission.getFileDefault(),
                  EnumSet.of(CreateFlag.CREATE, CreateFlag.SYNC_BLOCK), // hsync: the last block
                  BUFFER_BYTES,
                  replication,
                  blockSize,
                  null)
              : fs.createNonRecursive(path, false, BUFFER_BYTES, replication, blockSize, null);
      boolean syncs = out.hasCapability(StreamCapabilities.HSYNC);
      return new DurableStream(out, syncs ? out::hsync : () -> {});
    } catch (FSError e) {
      throw asException(e);
    }
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    guarded(() -> out.write(bytes, offset, length));
  }

  @Override
  public void flush() throws IOException {
    guarded(out::flush);
  }

  /** Brings the bytes to disk, unless writing them has failed already, and closes the file. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (!failed) {
        guarded(
            () -> {
              out.flush();
              sync.run();
            });
      }
    } finally {
      guarded(out::close);
    }
  }

  /** Closes a file that is about to be deleted: how that ends does not matter. */
  void abandon() {
    failed = true;
    try {
      close();
    } catch (IOException e) {
      System.getLogger(DurableStream.class.getName())
          .log(System.Logger.Level.DEBUG, "closing an abandoned output", e);
    }
  }

  private void guarded(Sync action) throws IOException {
    boolean done = false;
    try {
      action.run();
      done = true;
    } catch (FSError e) {
      throw asException(e);
    } finally {
      failed |= !done;
    }
  }

  private static IOException asException(FSError e) {
    return e.getCause() instanceof IOException cause ? cause : new IOException(e.getMessage(), e);
  }
}
