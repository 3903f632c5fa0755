package org.weft.reorder;

import java.util.stream.IntStream;

/**
 * The entries of a tensor as those of a matrix whose rows are the slices of one mode and whose
 * columns are the fibers along it, in lexicographic order of the other modes: one number per entry,
 * column above row, sorted by column.
 *
 * <p>Sorted by least significant digits, of at most {@value #DIGIT_BITS} bits, of the columns only:
 * {@code O(entries x column bits / 11)}, all of it streaming and on all cores; memory 16 bytes per
 * entry. Columns that leave no room for the row in 63 bits are numbered first.
 */
final class MatricisedEntries {
  private static final int DIGIT_BITS = 11;

  /** Fewer keys are sorted by the calling thread alone. */
  private static final int CHUNK = 1 << 16;

  private final long[] sorted;
  private final int rowBits;

  private MatricisedEntries(long[] sorted, int rowBits) {
    this.sorted = sorted;
    this.rowBits = rowBits;
  }

  static MatricisedEntries of(EntryTable entries, int mode) {
    int rowBits = bits(entries.modeSize(mode));
    int columnBits = 0;
    for (int other : entries.modesBut(mode)) {
      columnBits += bits(entries.modeSize(other));
    }
    if (rowBits + columnBits > Long.SIZE - 1) {
      return new MatricisedEntries(numbered(entries, mode, rowBits), rowBits);
    }
    long[] keys = new long[entries.size()];
    for (int other : entries.modesBut(mode)) {
      append(keys, entries.column(other), bits(entries.modeSize(other)));
    }
    append(keys, entries.column(mode), rowBits);
    return new MatricisedEntries(sorted(keys, rowBits, columnBits), rowBits);
  }

  /** Number of entries, duplicates included. */
  int size() {
    return sorted.length;
  }

  int row(int at) {
    return (int) (sorted[at] & ((1L << rowBits) - 1));
  }

  /** Whether the entry at a place is the last one of its column. */
  boolean endsColumn(int at) {
    return at + 1 == sorted.length || sorted[at] >>> rowBits != sorted[at + 1] >>> rowBits;
  }

  private static int bits(int size) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, size - 1));
  }

  private static void append(long[] keys, int[] coordinates, int bits) {
    for (int e = 0; e < keys.length; e++) {
      keys[e] = keys[e] << bits | coordinates[e];
    }
  }

  /** Sorts by the {@code columnBits} above {@code rowBits}; may use {@code keys}. */
  private static long[] sorted(long[] keys, int rowBits, int columnBits) {
    int passes = (columnBits + DIGIT_BITS - 1) / DIGIT_BITS;
    long[] from = keys;
    long[] to = new long[passes == 0 ? 0 : keys.length];
    int done = 0;
    for (int pass = 0; pass < passes; pass++) {
      int digit = (columnBits - done + passes - pass - 1) / (passes - pass);
      scatter(from, to, rowBits + done, digit);
      done += digit;
      long[] swap = from;
      from = to;
      to = swap;
    }
    return from;
  }

  /**
   * One pass: every chunk of keys knows where its keys of each digit go, and chunks are parallel.
   */
  private static void scatter(long[] from, long[] to, int shift, int bits) {
    int mask = (1 << bits) - 1;
    int chunks = from.length < CHUNK ? 1 : Runtime.getRuntime().availableProcessors();
    int[][] next = new int[chunks][mask + 1];
    forEachChunk(
        chunks,
        from.length,
        (chunk, begin, end) -> {
          int[] counts = next[chunk];
          for (int e = begin; e < end; e++) {
            counts[(int) (from[e] >>> shift) & mask]++;
          }
        });
    int at = 0;
    for (int digit = 0; digit <= mask; digit++) {
      for (int[] ofChunk : next) {
        int count = ofChunk[digit];
        ofChunk[digit] = at;
        at += count;
      }
    }
    forEachChunk(
        chunks,
        from.length,
        (chunk, begin, end) -> {
          int[] places = next[chunk];
          for (int e = begin; e < end; e++) {
            to[places[(int) (from[e] >>> shift) & mask]++] = from[e];
          }
        });
  }

  /** Takes the keys {@code [begin, end)}. */
  private interface Chunk {
    void take(int number, int begin, int end);
  }

  private static void forEachChunk(int chunks, int keys, Chunk chunk) {
    IntStream.range(0, chunks)
        .parallel()
        .forEach(
            c -> {
              int begin = (int) ((long) keys * c / chunks);
              chunk.take(c, begin, (int) ((long) keys * (c + 1) / chunks));
            });
  }

  private static long[] numbered(EntryTable entries, int mode, int rowBits) {
    int[] byColumn = entries.sortedBy(entries.modesBut(mode));
    long[] keys = new long[byColumn.length];
    long column = 0;
    for (int at = 0; at < keys.length; at++) {
      if (at > 0 && !entries.sameBut(mode, byColumn[at - 1], byColumn[at])) {
        column++;
      }
      keys[at] = column << rowBits | entries.column(mode)[byColumn[at]];
    }
    return keys;
  }
}
