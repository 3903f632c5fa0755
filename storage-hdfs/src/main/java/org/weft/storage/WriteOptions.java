package org.weft.storage;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * How to write a tensor file. What is known in advance (shape, entry count) lets formats that put
 * it first stream; what is not known is gathered while writing.
 *
 * @param knownShape mode sizes, or null: the largest coordinates decide
 * @param knownEntries entries that will be written, or -1
 * @param zeroBased coordinates of {@code .tns} text start at 0 instead of 1
 * @param extendedHeader {@code .tns} text starts with {@code order nnz} and the mode sizes
 * @param labels labels by mode; kept inside by {@code .weft} and {@code .wtb}, which alone have a
 *     place for them, and left to label files by the others
 * @param container what only containers keep
 */
public record WriteOptions(
    @Nullable TensorShape knownShape,
    long knownEntries,
    boolean zeroBased,
    boolean extendedHeader,
    Map<Integer, Labels> labels,
    ContainerOptions container) {
  private static final WriteOptions DEFAULTS =
      new WriteOptions(null, -1, false, false, Map.of(), ContainerOptions.defaults());

  public WriteOptions {
    labels = Map.copyOf(labels);
  }

  /** Nothing known in advance, 1-based, no extended header. */
  public static WriteOptions defaults() {
    return DEFAULTS;
  }

  public WriteOptions withShape(TensorShape shape) {
    return new WriteOptions(shape, knownEntries, zeroBased, extendedHeader, labels, container);
  }

  public WriteOptions withEntries(long entries) {
    return new WriteOptions(knownShape, entries, zeroBased, extendedHeader, labels, container);
  }

  public WriteOptions withZeroBased(boolean value) {
    return new WriteOptions(knownShape, knownEntries, value, extendedHeader, labels, container);
  }

  /**
   * These options for {@code uri}: coordinates from 0 are those of FROSTT text, as other formats
   * fix their own.
   */
  public WriteOptions forFile(String uri) {
    return withZeroBased(zeroBased && TensorFiles.extensionOf(uri).equals(".tns"));
  }

  public WriteOptions withExtendedHeader(boolean value) {
    return new WriteOptions(knownShape, knownEntries, zeroBased, value, labels, container);
  }

  public WriteOptions withLabels(Map<Integer, Labels> value) {
    return new WriteOptions(knownShape, knownEntries, zeroBased, extendedHeader, value, container);
  }

  public WriteOptions withContainer(ContainerOptions value) {
    return new WriteOptions(knownShape, knownEntries, zeroBased, extendedHeader, labels, value);
  }

  /** What the values are: Matrix Market text says whether they are integers. */
  public ValueType valueType() {
    return container.valueType();
  }

  public Optional<TensorShape> shape() {
    return Optional.ofNullable(knownShape);
  }

  public OptionalLong entries() {
    return knownEntries < 0 ? OptionalLong.empty() : OptionalLong.of(knownEntries);
  }
}
