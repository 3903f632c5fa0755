package org.weft.spark.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Arrays of numbers on their way between tasks: their length, then the numbers. */
final class NumberArrays {
  private NumberArrays() {}

  static void write(DataOutput out, int[] numbers) throws IOException {
    out.writeInt(numbers.length);
    for (int number : numbers) {
      out.writeInt(number);
    }
  }

  static void write(DataOutput out, long[] numbers) throws IOException {
    out.writeInt(numbers.length);
    for (long number : numbers) {
      out.writeLong(number);
    }
  }

  static int[] readInts(DataInput in) throws IOException {
    int[] numbers = new int[in.readInt()];
    for (int at = 0; at < numbers.length; at++) {
      numbers[at] = in.readInt();
    }
    return numbers;
  }

  static long[] readLongs(DataInput in) throws IOException {
    long[] numbers = new long[in.readInt()];
    for (int at = 0; at < numbers.length; at++) {
      numbers[at] = in.readLong();
    }
    return numbers;
  }
}
