package org.weft.tensor;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.tensor.level.LevelCapability;
import org.weft.text.Counts;

/**
 * How a tensor is stored: its levels, outermost first, the coordinate that each level stores, and
 * the type of the values. Ordinary formats have one level per mode; blocked formats, ELL and DIA
 * have more. Immutable. {@link #toString()} and {@link #parse} are inverse.
 */
public final class TensorFormat implements Serializable {
  /** With more rows per entry, an array over all rows would be most of the matrix. */
  private static final int MOST_ROWS_PER_ENTRY = 16;

  private static final long serialVersionUID = 1L;

  private final ArrayList<LevelSpec> levels;
  private final ArrayList<LevelCoordinate> coordinates;
  private final int[] modeOrder;
  private final ValueType valueType;

  /** Level {@code l} stores mode {@code modeOrder[l]}. */
  public TensorFormat(List<LevelSpec> levels, int[] modeOrder, ValueType valueType) {
    this(levels, modes(levels.size()), modeOrder, valueType);
  }

  /**
   * A format whose levels store {@code coordinates}, with modes counted in the order of storage.
   *
   * @throws IllegalArgumentException if a mode is stored twice, in part or not at all, or a level
   *     format stands where it has no meaning
   */
  public TensorFormat(
      List<LevelSpec> levels,
      List<LevelCoordinate> coordinates,
      int[] modeOrder,
      ValueType valueType) {
    this.levels = new ArrayList<>(levels);
    this.coordinates = new ArrayList<>(coordinates);
    this.modeOrder = modeOrder.clone();
    this.valueType = valueType;
    int[] sorted = modeOrder.clone();
    Arrays.sort(sorted);
    int order = FormatRules.check(levels, coordinates);
    if (sorted.length != order || !Arrays.equals(sorted, identity(order))) {
      throw new IllegalArgumentException(
          "mode order "
              + Arrays.toString(modeOrder)
              + " is not a permutation of the "
              + Counts.plain(order, "mode"));
    }
  }

  /**
   * Levels as those of a tensor with one mode for each, which nobody need be able to store: how a
   * compiler sees a tensor that has more levels than modes.
   */
  public static TensorFormat ofLevels(List<LevelSpec> levels, ValueType valueType) {
    return new TensorFormat(levels, valueType);
  }

  private TensorFormat(List<LevelSpec> levels, ValueType valueType) {
    this.levels = new ArrayList<>(levels);
    this.coordinates = new ArrayList<>(modes(levels.size()));
    this.modeOrder = identity(levels.size());
    this.valueType = valueType;
  }

  private static List<LevelCoordinate> modes(int count) {
    List<LevelCoordinate> modes = new ArrayList<>();
    for (int mode = 0; mode < count; mode++) {
      modes.add(new LevelCoordinate.Mode(mode));
    }
    return modes;
  }

  /** All levels dense, row-major. */
  public static TensorFormat dense(int order, ValueType valueType) {
    return order >= 0 && order < Dense.ORDERS
        ? Dense.FORMATS[valueType.ordinal()][order]
        : uniform(Collections.nCopies(order, "D"), valueType);
  }

  /** Made once: each call of a kernel asks for those of its rows and small matrices. */
  private static final class Dense {
    static final int ORDERS = 4;
    static final TensorFormat[][] FORMATS =
        Arrays.stream(ValueType.values())
            .map(
                type ->
                    IntStream.range(0, ORDERS)
                        .mapToObj(order -> uniform(Collections.nCopies(order, "D"), type))
                        .toArray(TensorFormat[]::new))
            .toArray(TensorFormat[][]::new);
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

  /**
   * How entries are stored where nobody says it: a matrix in {@code CSR}, unless most of its rows
   * are empty; other tensors all compressed. Widths suit the shape.
   */
  public static TensorFormat usual(TensorShape shape, long entries, ValueType valueType) {
    TensorFormat csr = uniform(List.of("D", "CU"), valueType);
    TensorFormat format =
        shape.order() == 2 && csr.hasFewPositions(shape, entries)
            ? csr
            : csf(shape.order(), valueType);
    return format.narrowedFor(shape, entries);
  }

  /**
   * Whether no dense level has many more positions than there are entries, so that the tensor takes
   * memory and time for its entries and not for the sizes of its modes. For ordinary formats.
   */
  public boolean hasFewPositions(TensorShape shape, double entries) {
    double positions = 1;
    for (int level = 0; level < order(); level++) {
      if (level(level).properties().full()) {
        positions *= shape.size(modeOf(level));
        if (Math.floor(positions / MOST_ROWS_PER_ENTRY) > entries) {
          return false;
        }
      } else {
        positions = Math.min(entries, positions * shape.size(modeOf(level)));
      }
    }
    return true;
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
   * Parses a name ({@link NamedFormat} lists them) such as {@code CSF} or {@code BCSR(2,3)}, with
   * widths of all its levels as in {@code CSR[32,16]}, or a level list such as {@code {D,
   * CU?o[32,32]}}, each with an optional mode order {@code @1,0}. Widths that the text does not
   * state are 64 bits.
   *
   * @throws org.weft.error.WeftException {@code INVALID_FORMAT}
   */
  public static TensorFormat parse(String text, int order, ValueType valueType) {
    return FormatParser.parse(text, order, valueType);
  }

  /**
   * As above, with the narrowest widths that hold {@code shape} and {@code entries} stored entries
   * for the levels whose widths the text does not state.
   */
  public static TensorFormat parse(
      String text, TensorShape shape, long entries, ValueType valueType) {
    return FormatParser.statesWidths(text)
        ? FormatParser.parseNarrowed(text, shape, entries, valueType)
        : parse(text, shape.order(), valueType).narrowedFor(shape, entries);
  }

  /** Number of modes. */
  public int order() {
    return modeOrder.length;
  }

  /** Number of levels: that of the modes, or more. */
  public int levelCount() {
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

  /** The coordinate that {@code level} stores, its modes counted in the order of storage. */
  public LevelCoordinate coordinate(int level) {
    return coordinates.get(level);
  }

  /**
   * Whether the levels of {@code other} have the formats, properties, coordinates and mode order of
   * these; widths and value types may differ.
   */
  public boolean hasLevelsOf(TensorFormat other) {
    if (levelCount() != other.levelCount() || !Arrays.equals(modeOrder, other.modeOrder)) {
      return false;
    }
    for (int level = 0; level < levelCount(); level++) {
      LevelSpec a = level(level);
      LevelSpec b = other.level(level);
      if (!a.format().symbol().equals(b.format().symbol())
          || !a.properties().equals(b.properties())
          || !coordinate(level).equals(other.coordinate(level))) {
        return false;
      }
    }
    return true;
  }

  /** Whether every level stores the coordinate of a mode of its own. */
  public boolean isOrdinary() {
    return coordinates.stream().allMatch(LevelCoordinate.Mode.class::isInstance);
  }

  /** The mode that {@code level} stores, or a part of which; -1 for slots and diagonals. */
  public int modeOf(int level) {
    int stored = coordinates.get(level).storedMode();
    return stored < 0 ? -1 : modeOrder[stored];
  }

  /**
   * Number of coordinates that {@code level} of a tensor of {@code shape} can have.
   *
   * @throws IllegalStateException for slots and diagonals, which the data counts
   */
  public long levelSize(TensorShape shape, int level) {
    LevelCoordinate coordinate = coordinates.get(level);
    if (coordinate instanceof LevelCoordinate.Within within) {
      return within.size();
    } else if (coordinate instanceof LevelCoordinate.Block block) {
      long size = shape.size(modeOf(level));
      return size / block.size() + (size % block.size() == 0 ? 0 : 1);
    } else if (coordinate.isCounted()) {
      throw new IllegalStateException(
          "level " + (level + 1) + " of " + this + " has no fixed size");
    }
    return shape.size(modeOf(level));
  }

  /** Branchless levels right below {@code level}, which share its positions. */
  public int branchlessBelow(int level) {
    int last = level;
    while (last + 1 < levels.size() && levels.get(last + 1).properties().branchless()) {
      last++;
    }
    return last - level;
  }

  public ValueType valueType() {
    return valueType;
  }

  /** Whether every level is full: there is a value for every cell. */
  public boolean isDense() {
    return levels.stream().allMatch(level -> level.properties().full());
  }

  /**
   * Whether zeros fill up what is stored, so that a zero of the tensor cannot be told from them:
   * the innermost level has a position for every coordinate, or for every row of a diagonal, and
   * some level above has not. Such a tensor has no zeros among its entries.
   */
  public boolean pads() {
    return !isDense() && endsFull();
  }

  /** Whether the innermost level stores whole fibers or diagonals. */
  public boolean endsFull() {
    int last = levels.size() - 1;
    while (last > 0 && isImplied(levels.get(last))) {
      last--;
    }
    return last >= 0 && (levels.get(last).properties().full() || last < levels.size() - 1);
  }

  /** Whether the coordinates of a level follow from those above. */
  private static boolean isImplied(LevelSpec level) {
    return level.properties().branchless() && !level.format().hasCrd();
  }

  /** Whether a kernel can write values at any coordinate without building structure. */
  public boolean isInsertable() {
    return levels.stream()
            .allMatch(
                level ->
                    level.properties().full()
                        && level.format().capabilities().contains(LevelCapability.INSERT))
        && coordinates.stream().noneMatch(LevelCoordinate::isCounted);
  }

  public TensorFormat withModeOrder(int... order) {
    return new TensorFormat(levels, coordinates, order, valueType);
  }

  public TensorFormat withWidths(Width pos, Width crd) {
    return withLevels(levels.stream().map(level -> level.withWidths(pos, crd)).toList());
  }

  private TensorFormat withLevels(List<LevelSpec> changed) {
    return new TensorFormat(changed, coordinates, modeOrder, valueType);
  }

  public TensorFormat withLevelWidths(int level, Width pos, Width crd) {
    List<LevelSpec> changed = new ArrayList<>(levels);
    changed.set(level, changed.get(level).withWidths(pos, crd));
    return withLevels(changed);
  }

  public TensorFormat withValueType(ValueType type) {
    return new TensorFormat(levels, coordinates, modeOrder, type);
  }

  /**
   * This format with the narrowest widths that hold {@code shape} and {@code entries} stored
   * entries.
   */
  public TensorFormat narrowedFor(TensorShape shape, long entries) {
    List<LevelSpec> narrow = new ArrayList<>();
    for (int level = 0; level < levelCount(); level++) {
      LevelSpec spec = levels.get(level);
      long size = coordinates.get(level).isCounted() ? 0 : levelSize(shape, level);
      narrow.add(
          spec.withWidths(
              Width.narrowestFor(spec.format().largestPos(entries)),
              Width.narrowestFor(
                  spec.format().largestCrd(size, sizeBelow(shape, level), spec.properties()))));
    }
    return withLevels(narrow);
  }

  /** Number of coordinates of the level below, or 0. */
  long sizeBelow(TensorShape shape, int level) {
    return level + 1 < levelCount() ? levelSize(shape, level + 1) : 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TensorFormat that
        && levels.equals(that.levels)
        && coordinates.equals(that.coordinates)
        && Arrays.equals(modeOrder, that.modeOrder)
        && valueType == that.valueType;
  }

  @Override
  public int hashCode() {
    return (levels.hashCode() * 31 + Arrays.hashCode(modeOrder)) * 31 + valueType.ordinal();
  }

  /**
   * {@code {CU[32,32], CU[32,16]}@1,0}, and {@code {D:0/2, CU:1/3, D:0%2, D:1%3}} where levels do
   * not store one mode each. The value type is not part of the text.
   */
  @Override
  public String toString() {
    List<String> texts = new ArrayList<>();
    for (int level = 0; level < levels.size(); level++) {
      boolean plain = coordinates.get(level).equals(new LevelCoordinate.Mode(level));
      texts.add(levels.get(level) + (plain ? "" : ":" + coordinates.get(level)));
    }
    String list = texts.stream().collect(Collectors.joining(", ", "{", "}"));
    if (Arrays.equals(modeOrder, identity(order()))) {
      return list;
    }
    return list
        + "@"
        + Arrays.stream(modeOrder).mapToObj(Integer::toString).collect(Collectors.joining(","));
  }
}
