package org.weft.storage.npy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the elements of a NumPy array may be: little-endian floats, integers or truth values. */
enum NpyType {
  F8("<f8", 8),
  F4("<f4", 4),
  I8("<i8", 8),
  I4("<i4", 4),
  I2("<i2", 2),
  I1("|i1", 1),
  U4("<u4", 4),
  U2("<u2", 2),
  U1("|u1", 1),
  BOOL("|b1", 1);

  private final String dtype;
  private final int bytes;

  NpyType(String dtype, int bytes) {
    this.dtype = dtype;
    this.bytes = bytes;
  }

  /** The type that a header calls {@code dtype}; null if it is none of these. */
  static @Nullable NpyType named(String dtype) {
    return Arrays.stream(values()).filter(t -> t.dtype.equals(dtype)).findFirst().orElse(null);
  }

  /** All names, for messages. */
  static String names() {
    return Arrays.stream(values()).map(NpyType::dtype).collect(Collectors.joining(", "));
  }

  String dtype() {
    return dtype;
  }

  int bytes() {
    return bytes;
  }

  boolean isIntegral() {
    return this != F8 && this != F4;
  }

  /** The float at {@code at} of a little-endian buffer, or the double nearest to the integer. */
  double value(ByteBuffer in, int at) {
    return switch (this) {
      case F8 -> in.getDouble(at);
      case F4 -> in.getFloat(at);
      default -> integer(in, at);
    };
  }

  /** The integer at {@code at} of a little-endian buffer. */
  long integer(ByteBuffer in, int at) {
    return switch (this) {
      case I8 -> in.getLong(at);
      case I4 -> in.getInt(at);
      case I2 -> in.getShort(at);
      case I1 -> in.get(at);
      case U4 -> Integer.toUnsignedLong(in.getInt(at));
      case U2 -> Short.toUnsignedInt(in.getShort(at));
      case U1 -> Byte.toUnsignedInt(in.get(at));
      case BOOL -> in.get(at) == 0 ? 0 : 1;
      case F8, F4 -> throw new IllegalStateException(dtype + " is no integer");
    };
  }
}
