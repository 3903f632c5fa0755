package org.weft.spark.ingest;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.Bucket;
import org.weft.spark.ingest.cell.KeyBytes;
import org.weft.spark.ingest.cell.TextBucket;
import org.weft.spark.key.ByteDictionary;

/**
 * The keys of a mode, numbered in the order of their appearance, as the byte strings of {@link
 * KeyBytes}. Not thread-safe.
 */
final class ModeKeys {
  private final String column;
  private final Bucket bucket;
  private final ByteDictionary keys = new ByteDictionary();

  /** Cells seen before; null for text, which is its own key. */
  private final @Nullable KnownCells cells;

  /** None yet, of the cells of {@code column}. */
  ModeKeys(String column, Bucket bucket) {
    this.column = column;
    this.bucket = bucket;
    this.cells = bucket instanceof TextBucket ? null : new KnownCells();
  }

  /**
   * The number of the key of a cell that is not missing.
   *
   * @param text UTF-8, in [{@code from}, {@code to})
   */
  int number(byte[] text, int from, int to) throws BadCell {
    int known = cells == null ? keys.find(text, from, to) : cells.find(text, from, to);
    if (known < 0) {
      String cell = new String(text, from, to - from, StandardCharsets.UTF_8);
      known = number(bucket.key(column, cell)); // which says what is wrong, if anything is
      if (cells != null) {
        cells.put(text, from, to, known);
      }
    }
    return known;
  }

  /** The number of what {@link Bucket#key} made of a cell. */
  int number(Object key) {
    byte[] bytes = KeyBytes.of(key);
    return keys.number(bytes, 0, bytes.length);
  }

  /** Numbers here of the keys of {@code other}, by their numbers there. */
  int[] addAll(ModeKeys other) {
    return keys.addAll(other.keys);
  }

  int size() {
    return keys.size();
  }

  /** About the bytes on the heap. */
  long bytes() {
    return keys.bytes() + (cells == null ? 0 : cells.bytes());
  }

  /** The numbers of these keys, in the order of the keys. */
  int[] sorted(int[] numbers) {
    return keys.sorted(numbers);
  }

  byte[] label(int number) {
    return bucket.utf8(keys.get(number));
  }

  ByteDictionary dictionary() {
    return keys;
  }

  /** The keys of the last different cells. */
  private static final class KnownCells {
    private static final int CELLS = 1 << 16;

    private ByteDictionary cells = new ByteDictionary();
    private final int[] keys = new int[CELLS];

    /** The number of the key of a cell; -1 if it is not known. */
    int find(byte[] text, int from, int to) {
      int cell = cells.find(text, from, to);
      return cell < 0 ? -1 : keys[cell];
    }

    void put(byte[] text, int from, int to, int key) {
      if (cells.size() == CELLS) {
        cells = new ByteDictionary();
      }
      keys[cells.number(text, from, to)] = key;
    }

    long bytes() {
      return cells.bytes() + 4L * CELLS;
    }
  }
}
