package org.weft.spark.key;

import java.util.Arrays;

/** Sorts numbers by a comparison of what they stand for, without an object for each. */
final class IntSort {
  private static final int INSERTED = 8;

  private IntSort() {}

  interface Comparison {
    int compare(int one, int other);
  }

  static void sort(int[] numbers, Comparison by) {
    merge(Arrays.copyOf(numbers, numbers.length), numbers, 0, numbers.length, by);
  }

  /** Sorts what both have in {@code [from, to)} into {@code into}. */
  private static void merge(int[] copy, int[] into, int from, int to, Comparison by) {
    if (to - from <= INSERTED) {
      insert(into, from, to, by);
      return;
    }
    int middle = (from + to) >>> 1;
    merge(into, copy, from, middle, by);
    merge(into, copy, middle, to, by);
    int left = from;
    int right = middle;
    for (int at = from; at < to; at++) {
      boolean first = right == to || left < middle && by.compare(copy[left], copy[right]) <= 0;
      into[at] = first ? copy[left++] : copy[right++];
    }
  }

  private static void insert(int[] numbers, int from, int to, Comparison by) {
    for (int at = from + 1; at < to; at++) {
      int number = numbers[at];
      int place = at;
      for (; place > from && by.compare(numbers[place - 1], number) > 0; place--) {
        numbers[place] = numbers[place - 1];
      }
      numbers[place] = number;
    }
  }
}
