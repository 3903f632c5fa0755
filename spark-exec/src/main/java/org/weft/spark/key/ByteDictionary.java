package org.weft.spark.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Different byte strings, numbered in the order of their appearance. Memory: the bytes, and 20 to
 * 30 bytes a string. Not thread-safe.
 */
public final class ByteDictionary {
  private static final int PAGE = 1 << 20;
  private static final int FEWEST = 1 << 10;

  private final List<byte[]> pages = new ArrayList<>();
  private int pageEnd;
  private long pageBytes;

  /** Page and offset in it, by number. */
  private long[] starts = new long[FEWEST];

  private int[] lengths = new int[FEWEST];

  /** Number + 1 of the string that hashes here; 0: none. At most half of it is filled. */
  private int[] table = new int[2 * FEWEST];

  private int size;

  public int size() {
    return size;
  }

  /** Bytes on the heap. */
  public long bytes() {
    return pageBytes + 12L * starts.length + 4L * table.length;
  }

  /** The number of the bytes {@code [from, to)}, which are copied if they are new. */
  public int number(byte[] text, int from, int to) {
    int slot = slot(text, from, to);
    if (table[slot] != 0) {
      return table[slot] - 1;
    }
    if (size == starts.length) {
      grow();
      slot = slot(text, from, to);
    }
    starts[size] = store(text, from, to - from);
    lengths[size] = to - from;
    table[slot] = ++size;
    return size - 1;
  }

  /** The number of these bytes; -1 if they are not here. */
  public int find(byte[] text, int from, int to) {
    return table[slot(text, from, to)] - 1;
  }

  private int slot(byte[] text, int from, int to) {
    int mask = table.length - 1;
    int slot = hash(text, from, to) & mask;
    while (table[slot] != 0 && !equals(table[slot] - 1, text, from, to)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private static int hash(byte[] text, int from, int to) {
    int hash = 0;
    for (int at = from; at < to; at++) {
      hash = 31 * hash + text[at];
    }
    hash *= 0x9E3779B9; // neighbours apart (Knuth, TAOCP 3, 6.4)
    return hash ^ (hash >>> 16);
  }

  private boolean equals(int number, byte[] text, int from, int to) {
    int start = start(number);
    return Arrays.equals(page(number), start, start + lengths[number], text, from, to);
  }

  private byte[] page(int number) {
    return pages.get((int) (starts[number] >>> 32));
  }

  private int start(int number) {
    return (int) starts[number];
  }

  private void grow() {
    int longer = Math.multiplyExact(2, starts.length);
    starts = Arrays.copyOf(starts, longer);
    lengths = Arrays.copyOf(lengths, longer);
    table = new int[2 * longer];
    for (int number = 0; number < size; number++) {
      int start = start(number);
      table[slot(page(number), start, start + lengths[number])] = number + 1;
    }
  }

  private long store(byte[] text, int from, int length) {
    if (pages.isEmpty() || pageEnd + length > pages.get(pages.size() - 1).length) {
      int bytes = pages.isEmpty() ? Math.max(length, PAGE >>> 6) : Math.max(length, PAGE);
      pages.add(new byte[bytes]);
      pageBytes += bytes;
      pageEnd = 0;
    }
    System.arraycopy(text, from, pages.get(pages.size() - 1), pageEnd, length);
    long start = (long) (pages.size() - 1) << 32 | pageEnd;
    pageEnd += length;
    return start;
  }

  int length(int number) {
    return lengths[number];
  }

  public byte[] get(int number) {
    int start = start(number);
    return Arrays.copyOfRange(page(number), start, start + lengths[number]);
  }

  /** Numbers here of the strings of {@code other}, by their numbers there. */
  public int[] addAll(ByteDictionary other) {
    int[] numbers = new int[other.size];
    for (int n = 0; n < numbers.length; n++) {
      int start = other.start(n);
      numbers[n] = number(other.page(n), start, start + other.lengths[n]);
    }
    return numbers;
  }

  /** The first eight bytes as a number that ascends with them, zeros where there are fewer. */
  long prefix(int number) {
    long prefix = 0;
    int start = start(number);
    int length = Math.min(Long.BYTES, lengths[number]);
    for (int at = 0; at < length; at++) {
      prefix |= (page(number)[start + at] & 0xFFL) << (Long.SIZE - Byte.SIZE * (at + 1));
    }
    return prefix;
  }

  /** Compares byte by byte, as numbers from 0. */
  int compare(int one, int other) {
    int a = start(one);
    int b = start(other);
    return Arrays.compareUnsigned(
        page(one), a, a + lengths[one], page(other), b, b + lengths[other]);
  }

  /** {@code numbers} in the order of their strings. */
  public int[] sorted(int[] numbers) {
    long[] prefixes = new long[size];
    for (int number : numbers) {
      prefixes[number] = prefix(number);
    }
    IntSort.sort(
        numbers,
        (one, other) -> {
          int order = Long.compareUnsigned(prefixes[one], prefixes[other]);
          return order != 0 ? order : compare(one, other);
        });
    return numbers;
  }

  /** A number that other strings, or another order, are unlikely to have. */
  long fingerprint() {
    long hash = size;
    for (int number = 0; number < size; number++) {
      hash = KeyedRows.mixed(hash, hash(number));
    }
    return hash;
  }

  long hash(int number) {
    int start = start(number);
    byte[] page = page(number);
    long hash = lengths[number];
    for (int at = start; at < start + lengths[number]; at++) {
      hash = 31 * hash + page[at];
    }
    return hash;
  }

  /** Writes these strings, in the order of their numbers. */
  void writeTo(DataOutput out) throws IOException {
    out.writeInt(size);
    for (int number = 0; number < size; number++) {
      out.writeInt(lengths[number]);
      out.write(page(number), start(number), lengths[number]);
    }
  }

  static ByteDictionary readFrom(DataInput in) throws IOException {
    ByteDictionary read = new ByteDictionary();
    byte[] text = new byte[64];
    for (int left = in.readInt(); left > 0; left--) {
      int length = in.readInt();
      text = length > text.length ? new byte[2 * length] : text;
      in.readFully(text, 0, length);
      read.number(text, 0, length);
    }
    return read;
  }
}
