package org.weft.storage;

import java.io.Serializable;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.TensorShape;

/**
 * What the beginning of a file tells before its entries are read.
 *
 * @param order number of modes
 * @param declaredShape mode sizes, or null if the file does not say
 * @param declaredRecords entries as the file counts them (a symmetric pair is one), or -1
 * @param dataStart offset of the first byte after the header, in decompressed bytes
 * @param full whether the file is an array: one entry for every cell of its shape
 * @param details what only the format that read it understands, or null
 */
public record TensorHeader(
    int order,
    @Nullable TensorShape declaredShape,
    long declaredRecords,
    long dataStart,
    boolean full,
    @Nullable Serializable details)
    implements Serializable {
  /** The header of a file that lists entries. */
  public TensorHeader(
      int order,
      @Nullable TensorShape declaredShape,
      long declaredRecords,
      long dataStart,
      @Nullable Serializable details) {
    this(order, declaredShape, declaredRecords, dataStart, false, details);
  }

  public Optional<TensorShape> shape() {
    return Optional.ofNullable(declaredShape);
  }

  /** Entries that the file declares, before symmetric ones are expanded. */
  public OptionalLong records() {
    return declaredRecords < 0 ? OptionalLong.empty() : OptionalLong.of(declaredRecords);
  }
}
