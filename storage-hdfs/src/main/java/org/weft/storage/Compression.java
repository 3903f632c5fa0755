package org.weft.storage;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/** Compression of a whole text file, told by its last extension. */
public enum Compression {
  /** Bytes as they are; text can be split. */
  NONE(""),
  /** RFC 1952, any number of members; one split. */
  GZIP(".gz");

  private static final int BUFFER_BYTES = 1 << 16;

  private final String suffix;

  Compression(String suffix) {
    this.suffix = suffix;
  }

  /** The extension: {@code .gz}, or empty. */
  public String suffix() {
    return suffix;
  }

  /** The compression that the name of a file announces. */
  public static Compression of(String name) {
    return name.toLowerCase(Locale.ROOT).endsWith(GZIP.suffix) ? GZIP : NONE;
  }

  /** {@code name} without the compression's extension. */
  String strip(String name) {
    return name.substring(0, name.length() - suffix.length());
  }

  /** The bytes inside {@code raw}; damage is reported as an error of the file {@code name}. */
  InputStream decompress(InputStream raw, String name) {
    return this == GZIP ? new GzipSource(raw, name) : raw;
  }

  /** A stream that compresses into {@code raw} and closes it. */
  OutputStream compress(OutputStream raw) throws IOException {
    return this == GZIP ? new GZIPOutputStream(raw, BUFFER_BYTES) : raw;
  }
}
