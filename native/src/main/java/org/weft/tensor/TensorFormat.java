package org.weft.tensor;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.weft.tensor.level.LevelCapability;

/**
 * How a tensor is stored: one level per mode, outermost first, the mode that each level stores, and
 * the type of the values. Immutable. {@link #toString()} and {@link #parse} are inverse.
 */
public final class TensorFormat implements Serializable {
  private static final long serialVersionUID = 1L;

  private final ArrayList<LevelSpec> levels;
  private final int[] modeOrder;
  private final ValueType valueType;

  public TensorFormat(List<LevelSpec> levels, int[] modeOrder, ValueType valueType) {
    this.levels = new ArrayList<>(levels);
    this.modeOrder = modeOrder.clone();
    this.valueType = valueType;
    int[] sorted = modeOrder.clone();
    Arrays.sort(sorted);
    if (sorted.length != levels.size() || !Arrays.equals(sorted, identity(sorted.length))) {
      throw new IllegalArgumentException(
          "mode order "
              + Arrays.toString(modeOrder)
              + " is not a permutation of the "
              + levels.size()
              + " modes");
    }
  }

  /** All levels dense, row-major. */
  public static TensorFormat dense(int order, ValueType valueType) {
    return uniform(Collections.nCopies(order, "D"), valueType);
  }

  /** All levels compressed. */
  public static TensorFormat csf(int order, ValueType valueType) {
    return uniform(Collections.nCopies(order, "CU"), valueType);
  }

  /** A non-unique compressed level, then singletons; {@code CU} alone for a vector. */
  public static TensorFormat coo(int order, ValueType valueType) {
    List<String> symbols = new ArrayList<>(Collections.nCopies(order, "S"));
    if (order > 0) {
      symbols.set(0, "CN");
    }
    return uniform(symbols, valueType);
  }

  private static TensorFormat uniform(List<String> symbols, ValueType valueType) {
    return new TensorFormat(
        symbols.stream().map(LevelSpec::of).toList(), identity(symbols.size()), valueType);
  }

  private static int[] identity(int order) {
    int[] modes = new int[order];
    Arrays.setAll(modes, m -> m);
    return modes;
  }

  /**
   * Parses {@code Dense}, {@code COO}, {@code CSF}, {@code CSR}, {@code CSC}, {@code DCSR}, {@code
   * DCSC} or a level list such as {@code {D, CU[32,32]}}, each with an optional mode order
   * {@code @1,0}.
   *
   * @throws org.weft.error.WeftException {@code INVALID_FORMAT}
   */
  public static TensorFormat parse(String text, int order, ValueType valueType) {
    return FormatParser.parse(text, order, valueType);
  }

  public int order() {
    return levels.size();
  }

  public List<LevelSpec> levels() {
    return Collections.unmodifiableList(levels);
  }

  public LevelSpec level(int level) {
    return levels.get(level);
  }

  public int[] modeOrder() {
    return modeOrder.clone();
  }

  /** The mode that {@code level} stores. */
  public int modeOf(int level) {
    return modeOrder[level];
  }

  public ValueType valueType() {
    return valueType;
  }

  /** Whether every level is full: there is a value for every cell. */
  public boolean isDense() {
    return levels.stream().allMatch(level -> level.properties().full());
  }

  /** Whether a kernel can write values at any coordinate without building structure. */
  public boolean isInsertable() {
    return levels.stream()
        .allMatch(level -> level.format().capabilities().contains(LevelCapability.INSERT));
  }

  public TensorFormat withModeOrder(int... order) {
    return new TensorFormat(levels, order, valueType);
  }

  public TensorFormat withWidths(Width pos, Width crd) {
    return new TensorFormat(
        levels.stream().map(level -> level.withWidths(pos, crd)).toList(), modeOrder, valueType);
  }

  public TensorFormat withLevelWidths(int level, Width pos, Width crd) {
    List<LevelSpec> changed = new ArrayList<>(levels);
    changed.set(level, changed.get(level).withWidths(pos, crd));
    return new TensorFormat(changed, modeOrder, valueType);
  }

  public TensorFormat withValueType(ValueType type) {
    return new TensorFormat(levels, modeOrder, type);
  }

  /**
   * This format with the narrowest widths that hold {@code shape} and {@code entries} positions.
   */
  public TensorFormat narrowedFor(TensorShape shape, long entries) {
    List<LevelSpec> narrow = new ArrayList<>();
    for (int level = 0; level < order(); level++) {
      narrow.add(
          levels
              .get(level)
              .withWidths(
                  Width.narrowestFor(entries),
                  Width.narrowestFor(Math.max(0, shape.size(modeOrder[level]) - 1))));
    }
    return new TensorFormat(narrow, modeOrder, valueType);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TensorFormat that
        && levels.equals(that.levels)
        && Arrays.equals(modeOrder, that.modeOrder)
        && valueType == that.valueType;
  }

  @Override
  public int hashCode() {
    return (levels.hashCode() * 31 + Arrays.hashCode(modeOrder)) * 31 + valueType.ordinal();
  }

  /** {@code {CU[32,32], CU[32,16]}@1,0}; the value type is not part of the text. */
  @Override
  public String toString() {
    String list =
        levels.stream().map(LevelSpec::toString).collect(Collectors.joining(", ", "{", "}"));
    if (Arrays.equals(modeOrder, identity(order()))) {
      return list;
    }
    return list
        + "@"
        + Arrays.stream(modeOrder).mapToObj(Integer::toString).collect(Collectors.joining(","));
  }
}
