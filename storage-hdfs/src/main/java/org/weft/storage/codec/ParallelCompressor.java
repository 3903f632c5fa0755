package org.weft.storage.codec;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;

/**
 * Compresses in pieces of fixed length, each a complete gzip member, bzip2 stream or zstd frame,
 * which readers of these formats take one after another. Pieces are compressed on all cores, two
 * for each being in memory; the bytes do not depend on how many there are.
 */
public final class ParallelCompressor extends OutputStream {
  private static final int WAITING = 2 * OrderedWork.CORES;

  /** How a piece is compressed. */
  public enum Codec {
    /** Level 4: faster than the default of 6, for somewhat more bytes. */
    GZIP(1 << 20) {
      @Override
      byte[] compress(byte[] bytes, int length) {
        return gzipMember(bytes, length);
      }
    },
    /** Pieces that fill one block of 900,000 bytes, even where runs lengthen them a little. */
    BZIP2(890_000) {
      @Override
      byte[] compress(byte[] bytes, int length) throws IOException {
        ByteArrayOutputStream stream = new ByteArrayOutputStream(length / 3 + 64);
        try (BZip2CompressorOutputStream out =
            new BZip2CompressorOutputStream(stream, blockSize(length))) {
          out.write(bytes, 0, length);
        }
        return stream.toByteArray();
      }
    },
    /** zstd's default level, with a check sum in each frame. */
    ZSTD(4 << 20) {
      @Override
      byte[] compress(byte[] bytes, int length) {
        byte[] frame = new byte[(int) Zstd.compressBound(length)];
        try (com.github.luben.zstd.ZstdCompressCtx context =
            new com.github.luben.zstd.ZstdCompressCtx()) {
          context.setLevel(Zstd.defaultCompressionLevel()).setChecksum(true);
          int size = context.compressByteArray(frame, 0, frame.length, bytes, 0, length);
          return Arrays.copyOf(frame, size);
        }
      }
    };

    private static final int GZIP_LEVEL = 4;

    private final int pieceBytes;

    Codec(int pieceBytes) {
      this.pieceBytes = pieceBytes;
    }

    abstract byte[] compress(byte[] bytes, int length) throws IOException;

    /** The smallest that holds {@code length} bytes: coder and decoder take memory by it. */
    private static int blockSize(int length) {
      return Math.min(9, length / 98_000 + 1);
    }

    private static byte[] gzipMember(byte[] bytes, int length) {
      ByteArrayOutputStream member = new ByteArrayOutputStream(length / 3 + 64);
      member.writeBytes(new byte[] {0x1F, (byte) 0x8B, 8, 0, 0, 0, 0, 0, 0, (byte) 0xFF});
      Deflater deflater = new Deflater(GZIP_LEVEL, true);
      deflater.setInput(bytes, 0, length);
      deflater.finish();
      byte[] buffer = new byte[1 << 16];
      while (!deflater.finished()) {
        member.write(buffer, 0, deflater.deflate(buffer));
      }
      deflater.end();
      CRC32 crc = new CRC32();
      crc.update(bytes, 0, length);
      for (long word : new long[] {crc.getValue(), length}) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
          member.write((int) (word >>> shift));
        }
      }
      return member.toByteArray();
    }
  }

  private final OutputStream out;
  private final Codec codec;
  private final OrderedWork<byte[]> work;
  private byte[] piece;
  private int filled;
  private boolean started;
  private boolean closed;

  /** Compresses into {@code out}, which is closed with this stream. */
  public ParallelCompressor(OutputStream out, Codec codec) {
    this.out = out;
    this.codec = codec;
    this.work = new OrderedWork<>(WAITING, out::write);
    this.piece = new byte[codec.pieceBytes];
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    for (int done = 0; done < length; ) {
      int n = Math.min(length - done, piece.length - filled);
      System.arraycopy(from, offset + done, piece, filled, n);
      filled += n;
      done += n;
      if (filled == piece.length) {
        submit();
      }
    }
  }

  private void submit() throws IOException {
    byte[] bytes = piece;
    int length = filled;
    work.add(() -> codec.compress(bytes, length));
    started = true;
    piece = new byte[codec.pieceBytes];
    filled = 0;
  }

  /** Writes what is there; an empty file becomes one empty piece. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (out) {
      if (filled > 0 || !started) {
        submit();
      }
      work.finish();
    }
  }
}
