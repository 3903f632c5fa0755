package org.weft.memory;

/**
 * A typed view of off-heap memory owned by a {@link MemoryScope}. Element access is bounds-checked;
 * once the scope is closed every access fails. Bulk code uses {@link #address()} and owns its
 * bounds.
 */
public final class NativeArray {
  private final ElementType type;
  private long address;
  private long length;

  NativeArray(ElementType type, long address, long length) {
    this.type = type;
    this.address = address;
    this.length = length;
  }

  public ElementType type() {
    return type;
  }

  /** Number of elements. */
  public long length() {
    return length;
  }

  public long byteSize() {
    return length * type.bytes();
  }

  /** Address of the first element; 64-byte aligned when this class allocated it. */
  public long address() {
    return address;
  }

  /** The integer at {@code position}, zero-extended for unsigned types. */
  public long getLong(long position) {
    long at = locate(position);
    return switch (type) {
      case U8 -> NativeMemory.getByte(at) & 0xFFL;
      case U16 -> NativeMemory.getShort(at) & 0xFFFFL;
      case U32 -> NativeMemory.getInt(at) & 0xFFFF_FFFFL;
      case I32 -> NativeMemory.getInt(at);
      case I64 -> NativeMemory.getLong(at);
      case F32 -> (long) NativeMemory.getFloat(at);
      case F64 -> (long) NativeMemory.getDouble(at);
    };
  }

  /** Stores the low bits of {@code value}; the caller has checked that it fits. */
  public void setLong(long position, long value) {
    long at = locate(position);
    switch (type) {
      case U8 -> NativeMemory.putByte(at, (byte) value);
      case U16 -> NativeMemory.putShort(at, (short) value);
      case U32, I32 -> NativeMemory.putInt(at, (int) value);
      case I64 -> NativeMemory.putLong(at, value);
      case F32 -> NativeMemory.putFloat(at, value);
      case F64 -> NativeMemory.putDouble(at, value);
    }
  }

  public double getDouble(long position) {
    return switch (type) {
      case F64 -> NativeMemory.getDouble(locate(position));
      case F32 -> NativeMemory.getFloat(locate(position));
      default -> getLong(position);
    };
  }

  public void setDouble(long position, double value) {
    switch (type) {
      case F64 -> NativeMemory.putDouble(locate(position), value);
      case F32 -> NativeMemory.putFloat(locate(position), (float) value);
      default -> setLong(position, (long) value);
    }
  }

  /** Copies {@code count} numbers from {@code position} on to an array. */
  public void getDoubles(long position, double[] into, int at, int count) {
    requireRange(position, count);
    if (type == ElementType.F64) {
      NativeMemory.copyToArray(address + position * Double.BYTES, into, at, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      into[at + i] = getDouble(position + i);
    }
  }

  /** Stores numbers of an array from {@code position} on. */
  public void setDoubles(long position, double[] from, int at, int count) {
    requireRange(position, count);
    if (type == ElementType.F64) {
      NativeMemory.copyFromArray(from, at, address + position * Double.BYTES, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      setDouble(position + i, from[at + i]);
    }
  }

  private void requireRange(long position, int count) {
    if (position < 0 || count < 0 || position > length - count) {
      throw new IndexOutOfBoundsException(
          "positions " + position + " to " + (position + count) + " of " + about());
    }
  }

  private String about() {
    return "an off-heap array of " + length + " elements";
  }

  private long locate(long position) {
    if (position < 0 || position >= length) {
      throw new IndexOutOfBoundsException("position " + position + " of " + about());
    }
    return address + position * type.bytes();
  }

  void invalidate() {
    address = 0;
    length = 0;
  }
}
