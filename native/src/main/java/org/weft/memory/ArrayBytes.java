package org.weft.memory;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.reflect.Array;

/** Arrays of {@code int}, {@code long} or {@code double} as bytes, in the host's byte order. */
public final class ArrayBytes {
  private static final int BUFFER = 1 << 16;

  private ArrayBytes() {}

  /** Writes the first {@code count} elements of {@code numbers}. */
  public static void write(DataOutput out, Object numbers, int count) throws IOException {
    long bytes = (long) width(numbers) * count;
    byte[] buffer = new byte[(int) Math.min(BUFFER, bytes)];
    for (long at = 0; at < bytes; at += buffer.length) {
      int some = (int) Math.min(buffer.length, bytes - at);
      NativeMemory.copyBytes(numbers, at, buffer, some);
      out.write(buffer, 0, some);
    }
  }

  /** Reads all elements of {@code numbers}. */
  public static void read(DataInput in, Object numbers) throws IOException {
    long bytes = (long) width(numbers) * Array.getLength(numbers);
    byte[] buffer = new byte[(int) Math.min(BUFFER, bytes)];
    for (long at = 0; at < bytes; at += buffer.length) {
      int some = (int) Math.min(buffer.length, bytes - at);
      in.readFully(buffer, 0, some);
      NativeMemory.copyBytes(buffer, numbers, at, some);
    }
  }

  private static int width(Object numbers) {
    if (numbers instanceof int[]) {
      return Integer.BYTES;
    }
    if (numbers instanceof long[] || numbers instanceof double[]) {
      return Long.BYTES;
    }
    throw new IllegalArgumentException("expected an array of int, long or double");
  }
}
