package org.weft.tensor;

import org.weft.memory.ElementType;

/**
 * Storage width of the {@code pos} and {@code crd} arrays of a level. Widths below 64 bits are
 * unsigned; a 64-bit element is a non-negative signed long.
 */
public enum Width {
  W8(ElementType.U8, 0xFFL),
  W16(ElementType.U16, 0xFFFFL),
  W32(ElementType.U32, 0xFFFF_FFFFL),
  W64(ElementType.I64, Long.MAX_VALUE);

  private final ElementType elementType;
  private final long maximum;

  Width(ElementType elementType, long maximum) {
    this.elementType = elementType;
    this.maximum = maximum;
  }

  public int bytes() {
    return elementType.bytes();
  }

  public int bits() {
    return bytes() * 8;
  }

  public ElementType elementType() {
    return elementType;
  }

  /** Largest number an element of this width holds. */
  public long maximum() {
    return maximum;
  }

  /** The width that is stored as {@code type}. */
  public static Width of(ElementType type) {
    for (Width width : values()) {
      if (width.elementType == type) {
        return width;
      }
    }
    throw new IllegalArgumentException("no position or coordinate is stored as " + type);
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
