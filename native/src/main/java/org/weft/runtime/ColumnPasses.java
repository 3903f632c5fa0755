package org.weft.runtime;

import java.util.BitSet;
import java.util.Objects;
import org.weft.memory.ElementType;
import org.weft.memory.NativeArray;

/**
 * Passes over the columns of entries and over counts of them, in the C++ runtime: the first
 * compiler of the JVM, which is all that a short job has, makes code for them that takes several
 * times as long. The garbage collector waits for a pass: a column should be that of one block, not
 * of a whole tensor.
 */
public final class ColumnPasses {
  private ColumnPasses() {}

  /**
   * The largest of the elements {@code [from, to)}; a negative number if there is none, or if one
   * of them is negative.
   */
  public static long largest(int[] column, int from, int to) {
    Objects.checkFromToIndex(from, to, column.length);
    NativeRuntime.require();
    long largest = NativeRuntime.largest(column, from, to);
    require(largest != Long.MIN_VALUE);
    return largest;
  }

  /** The least of the elements {@code [from, to)}, of which there is at least one. */
  public static int least(int[] column, int from, int to) {
    Objects.checkFromToIndex(from, to, column.length);
    Objects.checkIndex(from, to);
    NativeRuntime.require();
    long least = NativeRuntime.least(column, from, to);
    require(least != Long.MIN_VALUE);
    return (int) least;
  }

  /** Whether the elements {@code [from, to)} never decrease. */
  public static boolean ascends(int[] column, int from, int to) {
    Objects.checkFromToIndex(from, to, column.length);
    NativeRuntime.require();
    int ascends = NativeRuntime.ascends(column, from, to);
    require(ascends >= 0);
    return ascends == 1;
  }

  /**
   * Finds the range of each of the first {@code size} elements: the last one that starts no later.
   *
   * @param starts of the ranges, not descending; there is at least one
   * @param end of the last range
   * @param found receives the numbers of the ranges
   * @return whether all elements are in a range; if not, {@code found} is undefined
   */
  public static boolean ranges(int[] column, int size, long[] starts, long end, int[] found) {
    Objects.checkFromToIndex(0, size, column.length);
    Objects.checkFromToIndex(0, size, found.length);
    Objects.checkIndex(0, starts.length);
    NativeRuntime.require();
    int within = NativeRuntime.ranges(column, size, starts, starts.length, end, found);
    require(within >= 0);
    return within == 1;
  }

  /**
   * Adds 1 to {@code counts[element >>> shift]} for each of the elements {@code [from, to)}.
   *
   * @param largest of the elements, none of which is negative
   */
  public static void count(int[] column, int from, int to, long largest, int shift, int[] counts) {
    Objects.checkFromToIndex(from, to, column.length);
    if (from < to) {
      Objects.checkIndex(largest >>> shift, (long) counts.length);
    }
    NativeRuntime.require();
    require(NativeRuntime.count(column, from, to, shift, counts));
  }

  /**
   * Takes the first {@code size} values into {@code sums}: the sum of squares, the smallest, the
   * largest, and how many are not finite.
   */
  public static void summarize(double[] values, int size, double[] sums) {
    Objects.checkFromToIndex(0, size, values.length);
    Objects.checkFromToIndex(0, 4, sums.length);
    NativeRuntime.require();
    require(NativeRuntime.summarize(values, size, sums));
  }

  /** Multiplies each of the first {@code count} rows by {@code scale}, element by element. */
  public static void scaleRows(double[] rows, int count, double[] scale) {
    Objects.checkFromIndexSize(0L, (long) count * scale.length, (long) rows.length);
    NativeRuntime.require();
    require(NativeRuntime.scaleRows(rows, count, scale, scale.length));
  }

  /**
   * Adds the first {@code count} elements of {@code from} to those of {@code to} from {@code at}
   * on. Both are arrays of doubles, or both of floats, and have no element in common.
   */
  public static void add(NativeArray from, long count, NativeArray to, long at) {
    Objects.checkFromIndexSize(0, count, from.length());
    Objects.checkFromIndexSize(at, count, to.length());
    ElementType type = to.type();
    if (from.type() != type || !type.isFloating()) {
      throw new IllegalArgumentException("cannot add elements " + from.type() + " to " + type);
    }
    NativeRuntime.require();
    long target = to.address() + at * type.bytes();
    NativeRuntime.addElements(target, from.address(), count, type == ElementType.F32);
  }

  /**
   * The bits {@code element / width} of all elements, which are integers.
   *
   * @param size above every bit
   */
  public static BitSet bits(NativeArray elements, long width, int size) {
    return bits(elements, 0, elements.length(), width, size);
  }

  /** The bits of the elements {@code [from, to)}, which are integers below {@code size}. */
  public static BitSet bits(NativeArray elements, long from, long to, int size) {
    return bits(elements, from, to, 1, size);
  }

  private static BitSet bits(NativeArray elements, long from, long to, long width, int size) {
    if (elements.type().isFloating() || width <= 0) {
      throw new IllegalArgumentException("no bits of " + elements.type() + " by " + width);
    }
    Objects.checkFromToIndex(from, to, elements.length());
    NativeRuntime.require();
    long[] bits = new long[(size + Long.SIZE - 1) / Long.SIZE];
    long first = elements.address() + from * elements.type().bytes();
    int type = elements.type().ordinal();
    if (!NativeRuntime.setBits(first, to - from, type, width, bits)) {
      throw new IndexOutOfBoundsException("a coordinate is beyond " + size + " times " + width);
    }
    return BitSet.valueOf(bits);
  }

  /**
   * Looks the first {@code size} elements of a column up in a table.
   *
   * @throws IndexOutOfBoundsException if the table lacks one of them
   */
  public static int[] lookUp(int[] column, int size, int[] table) {
    long largest = largest(column, 0, size);
    if (size > 0) {
      Objects.checkIndex(largest, (long) table.length);
    }
    int[] found = new int[size];
    require(NativeRuntime.lookUp(column, size, table, found));
    return found;
  }

  /** The sum of the counts {@code [from, to)}. */
  public static long sum(int[] counts, int from, int to) {
    Objects.checkFromToIndex(from, to, counts.length);
    NativeRuntime.require();
    long sum = NativeRuntime.sum(counts, from, to);
    require(sum >= 0);
    return sum;
  }

  /** How many of the counts {@code [from, to)} are not 0. */
  public static int nonzero(int[] counts, int from, int to) {
    Objects.checkFromToIndex(from, to, counts.length);
    NativeRuntime.require();
    int found = NativeRuntime.atLeast(counts, from, to, 1);
    require(found >= 0);
    return found;
  }

  /**
   * Adds 1 to {@code heights[count]} for each of the first {@code size} counts that is less than
   * its length.
   *
   * @return the larger counts, in their order
   */
  public static long[] heights(int[] counts, int size, int[] heights) {
    Objects.checkFromToIndex(0, size, counts.length);
    NativeRuntime.require();
    int others = NativeRuntime.atLeast(counts, 0, size, heights.length);
    require(others >= 0 && NativeRuntime.heights(counts, size, heights.length, heights));
    long[] found = new long[others];
    require(others == 0 || NativeRuntime.select(counts, size, heights.length, found));
    return found;
  }

  /** The sums of the counts before each of the first {@code size}, and of all of those. */
  public static long[] runningSums(int[] counts, int size) {
    Objects.checkFromToIndex(0, size, counts.length);
    NativeRuntime.require();
    long[] sums = new long[size + 1];
    require(NativeRuntime.runningSums(counts, size, sums));
    return sums;
  }

  /**
   * Adds {@code numbers[i]} to {@code counts[((first + i) << width) >>> shift]}, for {@code i}
   * below {@code size}.
   */
  public static void addCounts(
      long[] numbers, int size, long first, int width, int shift, int[] counts) {
    Objects.checkFromToIndex(0, size, numbers.length);
    if (size > 0) {
      long last = first + size - 1;
      if (first < 0 || last < first || last > Long.MAX_VALUE >>> width) {
        throw new IndexOutOfBoundsException("buckets " + first + " to " + last + " of 2^" + width);
      }
      Objects.checkIndex((last << width) >>> shift, (long) counts.length);
    }
    NativeRuntime.require();
    require(NativeRuntime.addCounts(numbers, size, first, width, shift, counts));
  }

  /**
   * The sum of the first {@code size} numbers; -1 if one of them is negative, or the sum exceeds
   * {@code most}.
   */
  public static long sumWithin(long[] numbers, int size, long most) {
    Objects.checkFromToIndex(0, size, numbers.length);
    NativeRuntime.require();
    long sum = NativeRuntime.sumWithin(numbers, size, most);
    require(sum != -1);
    return Math.max(-1, sum);
  }

  private static void require(boolean held) {
    if (!held) {
      throw new OutOfMemoryError("no memory for a copy of a column");
    }
  }
}
