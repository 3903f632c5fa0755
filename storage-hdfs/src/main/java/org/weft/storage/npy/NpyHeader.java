package org.weft.storage.npy;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.text.Counts;

/**
 * The header of a NumPy array file: magic, version 1 to 3, length, and a Python dictionary with
 * dtype, order and shape (NumPy enhancement proposal 1).
 *
 * @param bytes length of the header: offset of the first element
 * @param type of the elements
 * @param bigEndian whether their first byte is the most significant one
 * @param fortran the first mode varies fastest
 */
record NpyHeader(int bytes, NpyType type, boolean bigEndian, boolean fortran, long[] shape)
    implements Serializable {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int MAX_BYTES = 1 << 20;
  private static final int ALIGNMENT = 64;
  private static final Pattern DTYPE = Pattern.compile("'descr'\\s*:\\s*'([<>|=]?)([^']*)'");
  private static final Pattern ORDER = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
  private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([^()]*)\\)");

  /** Number of elements; at most 2^60. */
  long elements() {
    long product = 1;
    for (long size : shape) {
      product *= size;
    }
    return product;
  }

  /** Reads the header and nothing after it. */
  static NpyHeader read(InputStream in, String name) throws IOException {
    byte[] start = in.readNBytes(MAGIC.length + 2);
    if (start.length < MAGIC.length + 2
        || !Arrays.equals(start, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw malformed(name, "the magic bytes of a NumPy array file", "other bytes");
    }
    int version = start[MAGIC.length];
    if (version < 1 || version > 3) {
      throw malformed(name, "NumPy format version 1, 2 or 3", "version " + version);
    }
    byte[] lengthBytes = in.readNBytes(version == 1 ? 2 : 4);
    long length = 0;
    for (int i = lengthBytes.length - 1; i >= 0; i--) {
      length = length << 8 | (lengthBytes[i] & 0xFF);
    }
    if (length > MAX_BYTES) {
      throw malformed(
          name, "a header of at most " + MAX_BYTES + " bytes", Counts.plain(length, "byte"));
    }
    byte[] text = in.readNBytes((int) length);
    if (lengthBytes.length < (version == 1 ? 2 : 4) || text.length < length) {
      throw truncated(name, "its header");
    }
    int bytes = start.length + lengthBytes.length + text.length;
    return parse(name, new String(text, StandardCharsets.UTF_8), bytes);
  }

  private static NpyHeader parse(String name, String text, int bytes) {
    Matcher dtype = DTYPE.matcher(text);
    Matcher order = ORDER.matcher(text);
    Matcher shape = SHAPE.matcher(text);
    boolean hasDtype = dtype.find();
    NpyType type = hasDtype ? NpyType.named(dtype.group(2)) : null;
    if (type == null) {
      throw malformed(
          name,
          "one of the dtypes " + NpyType.names() + ", or one with > for <",
          hasDtype
              ? "'" + dtype.group(1) + dtype.group(2) + "'; convert with array.astype('<f8')"
              : "another type");
    }
    if (!order.find() || !shape.find()) {
      throw malformed(name, "'fortran_order' and 'shape' in the header", text.strip());
    }
    boolean bigEndian = dtype.group(1).equals(">");
    boolean fortran = order.group(1).equals("True");
    return new NpyHeader(bytes, type, bigEndian, fortran, sizes(name, shape.group(1)));
  }

  private static long[] sizes(String name, String text) {
    String list = text.strip();
    try {
      long[] sizes =
          list.isEmpty()
              ? new long[0]
              : Arrays.stream(list.split(","))
                  .map(String::strip)
                  .mapToLong(Long::parseLong)
                  .toArray();
      double cells = 1;
      boolean negative = false;
      for (long size : sizes) {
        cells *= Math.max(1, size);
        negative |= size < 0;
      }
      if (!negative && cells <= 0x1p60) {
        return sizes;
      }
    } catch (NumberFormatException e) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          name + ": expected a shape of integers, found (" + text + ")",
          e);
    }
    throw malformed(name, "mode sizes of at most 2^60 cells", "(" + text + ")");
  }

  /** Bytes of an element. */
  int itemBytes() {
    return type.bytes();
  }

  /** A version 1 header of an array in C order, padded so that the data is aligned. */
  static byte[] of(NpyType type, long... shape) {
    String sizes =
        LongStream.of(shape).mapToObj(Long::toString).collect(Collectors.joining(", "))
            + (shape.length == 1 ? "," : "");
    String text =
        "{'descr': '" + type.dtype() + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
    int unpadded = MAGIC.length + 4 + text.length() + 1;
    int padding = Math.floorMod(-unpadded, ALIGNMENT);
    byte[] header = new byte[unpadded + padding];
    System.arraycopy(MAGIC, 0, header, 0, MAGIC.length);
    int length = header.length - MAGIC.length - 4;
    header[MAGIC.length] = 1;
    header[MAGIC.length + 2] = (byte) length;
    header[MAGIC.length + 3] = (byte) (length >> 8);
    byte[] body = (text + " ".repeat(padding) + "\n").getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(body, 0, header, MAGIC.length + 4, body.length);
    return header;
  }

  static WeftException malformed(String name, String expected, String found) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT, name + ": expected " + expected + ", found " + found);
  }

  static WeftException truncated(String name, String where) {
    return new WeftException(
        ErrorCode.TRUNCATED_INPUT,
        name + ": expected more bytes, found the end of the file in " + where + "; copy it again");
  }
}
