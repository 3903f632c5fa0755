package org.weft.storage;

import java.io.Serializable;
import org.weft.tensor.ValueType;

/**
 * How to read a tensor file.
 *
 * @param zeroBased coordinates of {@code .tns} text start at 0 instead of 1
 * @param allowNonfinite NaN and infinities are values, not errors
 * @param header what {@code .tns} text starts with
 * @param storedOrder a container that was reordered gives the coordinates that it stores, not the
 *     original ones
 * @param wanted what of the entries is looked at: a container does not read the rest, which is zero
 * @param type of the tensor that the values go to: one that it does not hold is an error, and where
 *     it is long, blocks have long values
 * @param blockEntries most entries in a block, up to the expansion of one symmetric entry
 */
public record ReadOptions(
    boolean zeroBased,
    boolean allowNonfinite,
    Header header,
    boolean storedOrder,
    Wanted wanted,
    ValueType type,
    int blockEntries)
    implements Serializable {
  /** 64 Ki entries: 1.3 MB for order 3, within a core's cache share. */
  public static final int DEFAULT_BLOCK_ENTRIES = 1 << 16;

  private static final ReadOptions DEFAULTS =
      new ReadOptions(
          false, false, Header.AUTO, false, Wanted.ALL, ValueType.DOUBLE, DEFAULT_BLOCK_ENTRIES);

  /** What stands before the entries of {@code .tns} text. */
  public enum Header {
    /**
     * A header is taken where the file cannot be read otherwise, or where a comment announces it.
     */
    AUTO,
    /** Nothing: every line is an entry. */
    NONE,
    /** A line {@code order nnz}, then a line of mode sizes. */
    EXTENDED,
    /** A line {@code order}, then a line of mode sizes. */
    ORDER,
    /** One line of mode sizes and, as the last column, the number of entries. */
    SIZES
  }

  /** What of the entries is looked at. */
  public enum Wanted {
    ALL,
    COORDINATES,
    VALUES
  }

  public ReadOptions {
    if (blockEntries < 1) {
      throw new IllegalArgumentException("blockEntries must be positive: " + blockEntries);
    }
  }

  /** 1-based, finite values, header detected, original coordinates. */
  public static ReadOptions defaults() {
    return DEFAULTS;
  }

  public ReadOptions withZeroBased(boolean value) {
    return new ReadOptions(value, allowNonfinite, header, storedOrder, wanted, type, blockEntries);
  }

  /**
   * These options for {@code uri}, one of several files of different formats: coordinates from 0
   * are those of its FROSTT text, as other formats fix their own.
   */
  public ReadOptions forOneOfSeveral(String uri) {
    return withZeroBased(zeroBased && TensorFiles.extensionOf(uri).equals(".tns"));
  }

  public ReadOptions withAllowNonfinite(boolean value) {
    return new ReadOptions(zeroBased, value, header, storedOrder, wanted, type, blockEntries);
  }

  public ReadOptions withHeader(Header value) {
    return new ReadOptions(
        zeroBased, allowNonfinite, value, storedOrder, wanted, type, blockEntries);
  }

  public ReadOptions withStoredOrder(boolean value) {
    return new ReadOptions(zeroBased, allowNonfinite, header, value, wanted, type, blockEntries);
  }

  public ReadOptions withWanted(Wanted value) {
    return new ReadOptions(
        zeroBased, allowNonfinite, header, storedOrder, value, type, blockEntries);
  }

  public ReadOptions withType(ValueType value) {
    return new ReadOptions(
        zeroBased, allowNonfinite, header, storedOrder, wanted, value, blockEntries);
  }

  public ReadOptions withBlockEntries(int value) {
    return new ReadOptions(zeroBased, allowNonfinite, header, storedOrder, wanted, type, value);
  }
}
