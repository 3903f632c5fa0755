package org.weft.storage;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Locale;
import org.weft.storage.codec.Bzip2Source;
import org.weft.storage.codec.GzipSource;
import org.weft.storage.codec.ParallelCompressor;
import org.weft.storage.codec.ZstdSource;

/**
 * Compression of a whole text file, told by its last extension or by its first bytes, none of which
 * text starts with.
 */
public enum Compression {
  /** Bytes as they are; text can be split. */
  NONE("", ""),
  /** RFC 1952, any number of members; one split. */
  GZIP(".gz", "\u001f\u008b"),
  /** Any number of streams; can be split at its blocks. */
  BZIP2(".bz2", "BZh"),
  /** RFC 8878, any number of frames; one split. */
  ZSTD(".zst", "\u0028\u00b5\u002f\u00fd");

  /** Bytes that tell every compression. */
  static final int MAGIC_BYTES = 4;

  private final String suffix;
  private final String magic;

  Compression(String suffix, String magic) {
    this.suffix = suffix;
    this.magic = magic;
  }

  /** The extension, such as {@code .gz}, or empty. */
  public String suffix() {
    return suffix;
  }

  /** The compression that the name of a file announces. */
  public static Compression of(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(c -> c != NONE && lower.endsWith(c.suffix))
        .findFirst()
        .orElse(NONE);
  }

  /**
   * The compression that the first bytes of a file show; where they show none, what its name says.
   */
  static Compression of(String name, byte[] first) {
    return Arrays.stream(values())
        .filter(c -> c != NONE && c.starts(first))
        .findFirst()
        .orElseGet(() -> of(name));
  }

  private boolean starts(byte[] first) {
    for (int i = 0; i < magic.length(); i++) {
      if (i >= first.length || (first[i] & 0xFF) != magic.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** {@code name} without the compression's extension. */
  String strip(String name) {
    return name.substring(0, name.length() - suffix.length());
  }

  /** The bytes inside {@code raw}; damage is reported as an error of the file {@code name}. */
  InputStream decompress(InputStream raw, String name) throws IOException {
    return switch (this) {
      case NONE -> raw;
      case GZIP -> new GzipSource(raw, name);
      case BZIP2 -> new Bzip2Source(raw, 0, Long.MAX_VALUE, name);
      case ZSTD -> new ZstdSource(raw, name);
    };
  }

  /** A stream that compresses into {@code raw}, on all cores, and closes it. */
  OutputStream compress(OutputStream raw) {
    return switch (this) {
      case NONE -> raw;
      case GZIP -> new ParallelCompressor(raw, ParallelCompressor.Codec.GZIP);
      case BZIP2 -> new ParallelCompressor(raw, ParallelCompressor.Codec.BZIP2);
      case ZSTD -> new ParallelCompressor(raw, ParallelCompressor.Codec.ZSTD);
    };
  }
}
