package org.weft.spark.ingest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.Bucket;
import org.weft.spark.ingest.cell.TextBucket;
import org.weft.spark.ingest.key.ByteDictionary;

/** The keys of a mode, numbered in the order of their appearance. Not thread-safe. */
abstract sealed class ModeKeys {
  /** None yet, of {@code mode}. */
  static ModeKeys of(ModeSpec mode) {
    return mode.bucket() instanceof TextBucket text
        ? new OfText(mode.column(), text)
        : new OfBucket(mode.column(), mode.bucket());
  }

  /**
   * The number of the key of a cell that is not missing.
   *
   * @param text UTF-8, in [{@code from}, {@code to})
   */
  abstract int number(byte[] text, int from, int to) throws BadCell;

  /** Numbers here of the keys of {@code other}, by their numbers there. */
  abstract int[] addAll(ModeKeys other);

  abstract int size();

  /** About the bytes on the heap. */
  abstract long bytes();

  /** The numbers of these keys, in the order of the keys. */
  abstract int[] sorted(int[] numbers);

  abstract byte[] label(int number);

  private static String string(byte[] text, int from, int to) {
    return new String(text, from, to - from, StandardCharsets.UTF_8);
  }

  /** Text, which is its own label. */
  private static final class OfText extends ModeKeys {
    private final String column;
    private final TextBucket bucket;
    private final ByteDictionary keys = new ByteDictionary();

    OfText(String column, TextBucket bucket) {
      this.column = column;
      this.bucket = bucket;
    }

    @Override
    int number(byte[] text, int from, int to) throws BadCell {
      int known = keys.find(text, from, to);
      if (known < 0) {
        bucket.key(column, string(text, from, to)); // which says what is wrong, if anything is
        known = keys.number(text, from, to);
      }
      return known;
    }

    @Override
    int[] addAll(ModeKeys other) {
      return keys.addAll(((OfText) other).keys);
    }

    @Override
    int size() {
      return keys.size();
    }

    @Override
    long bytes() {
      return keys.bytes();
    }

    @Override
    int[] sorted(int[] numbers) {
      long[] prefixes = new long[keys.size()];
      for (int number : numbers) {
        prefixes[number] = keys.prefix(number);
      }
      IntSort.sort(
          numbers,
          (one, other) -> {
            int order = Long.compareUnsigned(prefixes[one], prefixes[other]);
            return order != 0 ? order : keys.compare(one, other);
          });
      return numbers;
    }

    @Override
    byte[] label(int number) {
      return keys.get(number);
    }
  }

  /** What a bucket makes of cells; the keys of the last different cells are kept. */
  private static final class OfBucket extends ModeKeys {
    private static final int CELLS = 1 << 16;
    private static final int KEY_BYTES = 100;

    private final String column;
    private final Bucket bucket;
    private final Map<Object, Integer> numbers = new HashMap<>();
    private final List<Object> keys = new ArrayList<>();
    private ByteDictionary cells = new ByteDictionary();
    private final int[] known = new int[CELLS];

    OfBucket(String column, Bucket bucket) {
      this.column = column;
      this.bucket = bucket;
    }

    @Override
    int number(byte[] text, int from, int to) throws BadCell {
      if (cells.size() == CELLS) {
        cells = new ByteDictionary();
      }
      int before = cells.size();
      int cell = cells.number(text, from, to);
      if (cell == before) {
        known[cell] = -1;
      }
      if (known[cell] < 0) {
        known[cell] = number(bucket.key(column, string(text, from, to)));
      }
      return known[cell];
    }

    private int number(Object key) {
      Integer present = numbers.putIfAbsent(key, keys.size());
      if (present == null) {
        keys.add(key);
      }
      return present == null ? keys.size() - 1 : present;
    }

    @Override
    int[] addAll(ModeKeys other) {
      return ((OfBucket) other).keys.stream().mapToInt(this::number).toArray();
    }

    @Override
    int size() {
      return keys.size();
    }

    @Override
    long bytes() {
      return (long) KEY_BYTES * keys.size() + cells.bytes() + 4L * known.length;
    }

    @Override
    @SuppressWarnings("unchecked") // all keys of a bucket are of one type, which is comparable
    int[] sorted(int[] asked) {
      return IntStream.of(asked)
          .boxed()
          .sorted(Comparator.comparing(n -> (Comparable<Object>) keys.get(n)))
          .mapToInt(n -> n)
          .toArray();
    }

    @Override
    byte[] label(int number) {
      return bucket.label(keys.get(number)).getBytes(StandardCharsets.UTF_8);
    }
  }

  /** Sorts numbers by a comparison of what they stand for, without an object for each. */
  private static final class IntSort {
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
}
