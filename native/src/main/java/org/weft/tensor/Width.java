package org.weft.tensor;

/**
 * Storage width of the {@code pos} and {@code crd} arrays of a level. Widths below 64 bits are
 * unsigned; a 64-bit element is a non-negative signed long.
 */
public enum Width {
  W8(1, 0xFFL),
  W16(2, 0xFFFFL),
  W32(4, 0xFFFF_FFFFL),
  W64(8, Long.MAX_VALUE);

  private final int bytes;
  private final long maximum;

  Width(int bytes, long maximum) {
    this.bytes = bytes;
    this.maximum = maximum;
  }

  public int bytes() {
    return bytes;
  }

  public int bits() {
    return bytes * 8;
  }

  /** Largest number an element of this width holds. */
  public long maximum() {
    return maximum;
  }

  /** The narrowest width whose elements hold {@code largest}. */
  public static Width narrowestFor(long largest) {
    for (Width width : values()) {
      if (largest <= width.maximum) {
        return width;
      }
    }
    throw new AssertionError(largest);
  }
}
