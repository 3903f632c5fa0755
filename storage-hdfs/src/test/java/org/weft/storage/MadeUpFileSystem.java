package org.weft.storage;

import java.io.InputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.Seekable;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.LocalStandIn;

/** A file under {@code madeup:} that nobody stores: a beginning, one byte many times, an end. */
public final class MadeUpFileSystem extends LocalStandIn {
  static String beginning = "";
  static char filler;
  static String end = "";
  static long length;

  public MadeUpFileSystem() {
    super("madeup", new RawLocalFileSystem());
  }

  static FileAccess access(String newBeginning, char newFiller, long fillers, String newEnd) {
    beginning = newBeginning;
    filler = newFiller;
    end = newEnd;
    length = newBeginning.length() + fillers + newEnd.length();
    return access("madeup", MadeUpFileSystem.class);
  }

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
