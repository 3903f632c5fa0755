package org.weft.storage.npy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the elements of a NumPy array may be: floats, integers or truth values. */
enum NpyType {
  F8("f8", 8),
  F4("f4", 4),
  F2("f2", 2),
  I8("i8", 8),
  I4("i4", 4),
  I2("i2", 2),
  I1("i1", 1),
  U8("u8", 8),
  U4("u4", 4),
  U2("u2", 2),
  U1("u1", 1),
  BOOL("b1", 1);

  private static final int HALF_FRACTION_BITS = 10;
  private static final int HALF_EXPONENTS = 0x1F;
  private static final int HALF_BIAS = 15;

  private final String code;
  private final int bytes;

  NpyType(String code, int bytes) {
    this.code = code;
    this.bytes = bytes;
  }

  /** The type that dtypes end in {@code code}; null if it is none of these. */
  static @Nullable NpyType named(String code) {
    return Arrays.stream(values()).filter(t -> t.code.equals(code)).findFirst().orElse(null);
  }

  /** All names, for messages. */
  static String names() {
    return Arrays.stream(values()).map(NpyType::dtype).collect(Collectors.joining(", "));
  }

  /** The name in headers of arrays that are little-endian, or whose elements are bytes. */
  String dtype() {
    return (bytes == 1 ? "|" : "<") + code;
  }

  int bytes() {
    return bytes;
  }

  boolean isIntegral() {
    return this != F8 && this != F4 && this != F2;
  }

  /** The float at {@code at}, or the double nearest to the integer. */
  double value(ByteBuffer in, int at) {
    return switch (this) {
      case F8 -> in.getDouble(at);
      case F4 -> in.getFloat(at);
      case F2 -> half(in.getShort(at));
      case U8 -> unsigned(in.getLong(at));
      default -> integer(in, at);
    };
  }

  /** The integer at {@code at}; of {@code U8} its 64 bits, which {@link #isBeyondLong} tells. */
  long integer(ByteBuffer in, int at) {
    return switch (this) {
      case I8, U8 -> in.getLong(at);
      case I4 -> in.getInt(at);
      case I2 -> in.getShort(at);
      case I1 -> in.get(at);
      case U4 -> Integer.toUnsignedLong(in.getInt(at));
      case U2 -> Short.toUnsignedInt(in.getShort(at));
      case U1 -> Byte.toUnsignedInt(in.get(at));
      case BOOL -> in.get(at) == 0 ? 0 : 1;
      case F8, F4, F2 -> throw new IllegalStateException(code + " is no integer");
    };
  }

  /** Whether these bits of {@link #integer} stand for an integer of 2^63 or more. */
  boolean isBeyondLong(long bits) {
    return this == U8 && bits < 0;
  }

  /** The double nearest to an integer without sign: an odd last bit stands for those cut off. */
  private static double unsigned(long bits) {
    return bits >= 0 ? (double) bits : 2.0 * (double) (bits >>> 1 | bits & 1);
  }

  /** A number of 16 bits: sign, 5 bits of exponent, 10 of fraction (IEEE 754). */
  private static double half(short bits) {
    int exponent = bits >> HALF_FRACTION_BITS & HALF_EXPONENTS;
    int fraction = bits & (1 << HALF_FRACTION_BITS) - 1;
    double size;
    if (exponent == HALF_EXPONENTS) {
      size = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
    } else if (exponent == 0) {
      size = Math.scalb((double) fraction, 1 - HALF_BIAS - HALF_FRACTION_BITS);
    } else {
      size =
          Math.scalb(
              (double) (fraction | 1 << HALF_FRACTION_BITS),
              exponent - HALF_BIAS - HALF_FRACTION_BITS);
    }
    return bits < 0 ? -size : size;
  }
}
