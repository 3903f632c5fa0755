package org.weft.storage;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.Seekable;
import org.weft.storage.file.FileAccess;

/** A file under {@code madeup:} that nobody stores: a beginning, one byte many times, an end. */
public final class MadeUpFileSystem extends FilterFileSystem {
  static String beginning = "";
  static char filler;
  static String end = "";
  static long length;

  public MadeUpFileSystem() {
    super(new RawLocalFileSystem());
  }

  static FileAccess access(String newBeginning, char newFiller, long fillers, String newEnd) {
    beginning = newBeginning;
    filler = newFiller;
    end = newEnd;
    length = newBeginning.length() + fillers + newEnd.length();
    Configuration configuration = new Configuration();
    configuration.set("fs.madeup.impl", MadeUpFileSystem.class.getName());
    configuration.setBoolean("fs.madeup.impl.disable.cache", true);
    return FileAccess.of(configuration);
  }

  @Override
  public void initialize(URI name, Configuration configuration) throws IOException {
    fs.initialize(URI.create("file:///"), configuration);
    setConf(configuration);
  }

  @Override
  public URI getUri() {
    return URI.create("madeup:///");
  }

  @Override
  protected void checkPath(Path path) {}

  @Override
  public FileStatus getFileStatus(Path path) {
    return new FileStatus(length, false, 1, 1L << 27, 0, path);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferBytes) {
    return new FSDataInputStream(new Bytes());
  }

  private static final class Bytes extends InputStream implements Seekable, PositionedReadable {
    private long at;

    private byte byteAt(long position) {
      if (position < beginning.length()) {
        return (byte) beginning.charAt((int) position);
      }
      long fromEnd = length - position;
      return (byte) (fromEnd <= end.length() ? end.charAt((int) (end.length() - fromEnd)) : filler);
    }

    @Override
    public int read() {
      return at == length ? -1 : byteAt(at++) & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int count) {
      if (at >= length) {
        return -1;
      }
      int n = (int) Math.min(count, length - at);
      if (at >= beginning.length() && at + n <= length - end.length()) {
        java.util.Arrays.fill(into, offset, offset + n, (byte) filler);
      } else {
        for (int i = 0; i < n; i++) {
          into[offset + i] = byteAt(at + i);
        }
      }
      at += n;
      return n;
    }

    @Override
    public void seek(long position) {
      at = position;
    }

    @Override
    public long getPos() {
      return at;
    }

    @Override
    public boolean seekToNewSource(long target) {
      return false;
    }

    @Override
    public int read(long position, byte[] into, int offset, int count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readFully(long position, byte[] into, int offset, int count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readFully(long position, byte[] into) {
      throw new UnsupportedOperationException();
    }
  }
}
