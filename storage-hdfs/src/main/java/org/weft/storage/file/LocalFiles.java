package org.weft.storage.file;

import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.BufferedFSInputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/**
 * Hadoop's local file system, whose files are read without Hadoop's counts of what is read, and
 * whose folders are listed by the JDK. To count, and to list, Hadoop starts a program that finds
 * out what the shell can do, which a small job notices.
 */
final class LocalFiles extends RawLocalFileSystem {
  /** As Hadoop's: what goes while it is listed is left out, and a file is its own only child. */
  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    File file = pathToFile(path);
    if (!file.isDirectory()) {
      return new FileStatus[] {getFileStatus(path)}; // its error names the path
    }
    List<FileStatus> found = new ArrayList<>();
    try (DirectoryStream<java.nio.file.Path> children = Files.newDirectoryStream(file.toPath())) {
      for (java.nio.file.Path child : children) {
        Path name = new Path(null, null, child.getFileName().toString()); // it may have a colon
        try {
          found.add(getFileStatus(new Path(path, name)));
        } catch (FileNotFoundException e) {
          continue;
        }
      }
    } catch (NoSuchFileException e) {
      throw (FileNotFoundException) new FileNotFoundException(path + " has gone").initCause(e);
    } catch (AccessDeniedException e) {
      throw denied(path, e);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found.toArray(FileStatus[]::new);
  }

  /** What may not be seen is not missing: on HDFS it is another error, too. */
  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    try {
      return super.getFileStatus(path);
    } catch (FileNotFoundException e) {
      try {
        Files.readAttributes(pathToFile(path).toPath(), BasicFileAttributes.class);
      } catch (AccessDeniedException denied) {
        throw denied(path, denied);
      } catch (IOException isMissing) {
        throw e;
      }
      throw e;
    }
  }

  @Override
  public FSDataInputStream open(Path path, int bufferBytes) throws IOException {
    getFileStatus(path); // its error names the path
    FileInputStream file;
    try {
      file = new FileInputStream(pathToFile(path));
    } catch (FileNotFoundException e) { // so says this class of whatever cannot be opened
      try (SeekableByteChannel opened = Files.newByteChannel(pathToFile(path).toPath())) {
        throw e;
      } catch (AccessDeniedException denied) {
        throw denied(path, denied);
      } catch (NoSuchFileException gone) {
        throw e; // gone since its status was read: as Hadoop says it
      }
    }
    return new FSDataInputStream(new BufferedFSInputStream(new Input(file), bufferBytes));
  }

  private static IOException denied(Path path, AccessDeniedException cause) {
    return (IOException)
        new AccessDeniedException(path.toString(), null, "Permission denied").initCause(cause);
  }

  /** Bytes of one file; as Hadoop's, without counts of what was read. */
  private static final class Input extends FSInputStream {
    private final FileInputStream stream;
    private final FileChannel channel;

    Input(FileInputStream stream) {
      this.stream = stream;
      this.channel = stream.getChannel();
    }

    @Override
    public int read() throws IOException {
      return stream.read();
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
      return stream.read(bytes, from, count);
    }

    @Override
    public int read(long position, byte[] bytes, int from, int count) throws IOException {
      validatePositionedReadArgs(position, bytes, from, count);
      return count == 0 ? 0 : channel.read(ByteBuffer.wrap(bytes, from, count), position);
    }

    @Override
    public int available() throws IOException {
      return stream.available();
    }

    @Override
    public void seek(long position) throws IOException {
      if (position < 0) {
        throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK);
      }
      channel.position(position);
    }

    @Override
    public long getPos() throws IOException {
      return channel.position();
    }

    @Override
    public boolean seekToNewSource(long position) {
      return false; // a local file has one copy
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }
}
