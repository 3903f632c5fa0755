package org.weft.memory;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import sun.misc.Unsafe;

/**
 * Raw loads, stores and copies at absolute addresses. Nothing here is checked: callers own the
 * bounds. Everything goes through this class, so that a later JDK's memory API has one place to go.
 */
public final class NativeMemory {
  private static final Unsafe UNSAFE = unsafe();

  private static final long BYTES = Unsafe.ARRAY_BYTE_BASE_OFFSET;
  private static final long INTS = Unsafe.ARRAY_INT_BASE_OFFSET;
  private static final long LONGS = Unsafe.ARRAY_LONG_BASE_OFFSET;
  private static final long FLOATS = Unsafe.ARRAY_FLOAT_BASE_OFFSET;
  private static final long DOUBLES = Unsafe.ARRAY_DOUBLE_BASE_OFFSET;

  /** Bytes that are copied by words: a call of the JVM waits for the stores before it. */
  private static final int FEW_BYTES = 512;

  private static final long BUFFER_ADDRESS = bufferField("address");
  private static final long BUFFER_CAPACITY = bufferField("capacity");
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private NativeMemory() {}

  private static long bufferField(String name) {
    try {
      return UNSAFE.objectFieldOffset(Buffer.class.getDeclaredField(name));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static Unsafe unsafe() {
    try {
      Field field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return (Unsafe) field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Address of the first byte of a direct buffer. */
  public static long address(ByteBuffer direct) {
    return UNSAFE.getLong(direct, BUFFER_ADDRESS);
  }

  /** Frees what {@link ByteBuffer#allocateDirect} allocated; the buffer must not be used again. */
  public static void free(ByteBuffer direct) {
    UNSAFE.invokeCleaner(direct);
  }

  static long allocate(long bytes) {
    return UNSAFE.allocateMemory(bytes);
  }

  static void free(long address) {
    UNSAFE.freeMemory(address);
  }

  public static byte getByte(long address) {
    return UNSAFE.getByte(address);
  }

  public static void putByte(long address, byte value) {
    UNSAFE.putByte(address, value);
  }

  public static short getShort(long address) {
    return UNSAFE.getShort(address);
  }

  public static void putShort(long address, short value) {
    UNSAFE.putShort(address, value);
  }

  public static int getInt(long address) {
    return UNSAFE.getInt(address);
  }

  public static void putInt(long address, int value) {
    UNSAFE.putInt(address, value);
  }

  public static long getLong(long address) {
    return UNSAFE.getLong(address);
  }

  public static void putLong(long address, long value) {
    UNSAFE.putLong(address, value);
  }

  public static float getFloat(long address) {
    return UNSAFE.getFloat(address);
  }

  public static void putFloat(long address, float value) {
    UNSAFE.putFloat(address, value);
  }

  public static double getDouble(long address) {
    return UNSAFE.getDouble(address);
  }

  public static void putDouble(long address, double value) {
    UNSAFE.putDouble(address, value);
  }

  /**
   * A direct buffer over {@code bytes} bytes at {@code address}, in the host's byte order, for
   * channels, check sums and codecs that take nothing else. Borrowed: the memory must outlive it.
   */
  public static ByteBuffer buffer(long address, int bytes) {
    ByteBuffer view = NOTHING.duplicate().order(ByteOrder.nativeOrder());
    UNSAFE.putLong(view, BUFFER_ADDRESS, address);
    UNSAFE.putInt(view, BUFFER_CAPACITY, bytes);
    return view.limit(bytes);
  }

  /** Copies {@code bytes} between non-overlapping blocks. */
  public static void copy(long source, long destination, long bytes) {
    if (bytes > FEW_BYTES || bytes % Long.BYTES != 0) {
      UNSAFE.copyMemory(source, destination, bytes);
      return;
    }
    for (int i = 0; i < bytes; i += Long.BYTES) {
      UNSAFE.putLong(destination + i, UNSAFE.getLong(source + i));
    }
  }

  /** As {@link #copy}, of blocks that may overlap. */
  public static void move(long source, long destination, long bytes) {
    UNSAFE.copyMemory(source, destination, bytes);
  }

  public static void fill(long address, long bytes, byte value) {
    if (bytes > 0) {
      UNSAFE.setMemory(address, bytes, value);
    }
  }

  /** Copies {@code count} elements from native memory into {@code into} at {@code at}. */
  public static void copyToArray(long source, byte[] into, int at, int count) {
    UNSAFE.copyMemory(null, source, into, BYTES + at, count);
  }

  public static void copyToArray(long source, int[] into, int at, int count) {
    UNSAFE.copyMemory(null, source, into, INTS + 4L * at, 4L * count);
  }

  public static void copyToArray(long source, long[] into, int at, int count) {
    UNSAFE.copyMemory(null, source, into, LONGS + 8L * at, 8L * count);
  }

  public static void copyToArray(long source, double[] into, int at, int count) {
    UNSAFE.copyMemory(null, source, into, DOUBLES + 8L * at, 8L * count);
  }

  /** Copies {@code count} elements of {@code from}, starting at {@code at}, to native memory. */
  public static void copyFromArray(byte[] from, int at, long destination, int count) {
    if (count > FEW_BYTES || count % Long.BYTES != 0) {
      UNSAFE.copyMemory(from, BYTES + at, null, destination, count);
      return;
    }
    for (int i = 0; i < count; i += Long.BYTES) {
      UNSAFE.putLong(destination + i, UNSAFE.getLong(from, BYTES + at + i));
    }
  }

  public static void copyFromArray(int[] from, int at, long destination, int count) {
    UNSAFE.copyMemory(from, INTS + 4L * at, null, destination, 4L * count);
  }

  public static void copyFromArray(long[] from, int at, long destination, int count) {
    UNSAFE.copyMemory(from, LONGS + 8L * at, null, destination, 8L * count);
  }

  public static void copyFromArray(double[] from, int at, long destination, int count) {
    if (count <= FEW_BYTES / Double.BYTES) {
      for (int i = 0; i < count; i++) {
        UNSAFE.putDouble(destination + (long) i * Double.BYTES, from[at + i]);
      }
      return;
    }
    UNSAFE.copyMemory(from, DOUBLES + 8L * at, null, destination, 8L * count);
  }

  /** Copies bytes of an array of numbers; {@code at} counts bytes from its first element. */
  static void copyBytes(Object numbers, long at, byte[] into, int count) {
    UNSAFE.copyMemory(numbers, UNSAFE.arrayBaseOffset(numbers.getClass()) + at, into, BYTES, count);
  }

  /** The 8 bytes of an array from {@code at} on, which it has, in the host's order. */
  static long getLong(byte[] bytes, int at) {
    return UNSAFE.getLong(bytes, BYTES + at);
  }

  /** Sets the 8 bytes of an array from {@code at} on, which it has, in the host's order. */
  static void putLong(byte[] bytes, int at, long value) {
    UNSAFE.putLong(bytes, BYTES + at, value);
  }

  /** Copies bytes to an array of numbers; {@code at} counts bytes from its first element. */
  static void copyBytes(byte[] from, Object numbers, long at, int count) {
    UNSAFE.copyMemory(from, BYTES, numbers, UNSAFE.arrayBaseOffset(numbers.getClass()) + at, count);
  }
}
