package org.weft.memory;

/** Type of the elements of a {@link NativeArray}. {@code U} types are unsigned. */
public enum ElementType {
  U8(1),
  U16(2),
  U32(4),
  I64(8),
  I32(4),
  F32(4),
  F64(8);

  private final int bytes;

  ElementType(int bytes) {
    this.bytes = bytes;
  }

  public int bytes() {
    return bytes;
  }

  public boolean isFloating() {
    return this == F32 || this == F64;
  }
}
