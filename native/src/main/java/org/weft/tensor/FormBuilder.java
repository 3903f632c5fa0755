package org.weft.tensor;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.tensor.KeyLayout.Coordinate;
import org.weft.tensor.PackRecords.Arguments;
import org.weft.tensor.PackRecords.Step;
import org.weft.tensor.level.LevelPacking;
import org.weft.tensor.level.NativeLevel;
import org.weft.tensor.level.SortedEntries;

/**
 * Makes one form from records in its order, none twice. Formats all of whose levels the C++ runtime
 * knows ({@link org.weft.tensor.level.LevelFormat#nativeLevel}) are made there; in others each
 * level format builds its own arrays.
 */
final class FormBuilder {
  /** Numbers that are listed for each level. */
  private static final int PER_LEVEL = 13;

  private static final int MOST_LEVELS = 64;

  private final PackRecords records;
  private final TensorShape shape;
  private final TensorFormat format;
  private final int count;
  private final MemoryScope scope;
  private final long[] positions;
  private final @Nullable NativeArray[] pos;
  private final @Nullable NativeArray[] crd;
  private final LevelPacking.Target[] targets;

  private FormBuilder(
      PackRecords records,
      TensorShape shape,
      TensorFormat format,
      long[] distinctRoots,
      MemoryScope scope) {
    this.records = records;
    this.shape = shape;
    this.format = format;
    this.scope = scope;
    count = format.levelCount();
    positions = new long[count];
    pos = new NativeArray[count];
    crd = new NativeArray[count];
    targets = new LevelPacking.Target[count];
    for (int level = 0; level < count; level++) {
      targets[level] = FormatLimits.target(shape, format, level, distinctRoots.length);
    }
  }

  /** Whether a form is sure to have the values of sorted records as its own, in their order. */
  static boolean mayKeepValues(TensorFormat format, PackRecords records) {
    int last = format.levelCount() - 1;
    return records.mayLend(format.valueType())
        && last >= 0
        && isNative(format)
        && nativeLevel(format, last) != NativeLevel.DENSE
        && IntStream.rangeClosed(1, last).allMatch(level -> isSureOfParents(format, level));
  }

  /** Whether no entries are such that a singleton's parent has several children. */
  private static boolean isSureOfParents(TensorFormat format, int level) {
    return nativeLevel(format, level) != NativeLevel.SINGLETON
        || nativeLevel(format, level - 1) == NativeLevel.SINGLETON
        || !format.level(level - 1).properties().unique();
  }

  /**
   * @param scope of the form, which stays open if there is an error
   * @param records whose layout has one mode more than {@code shape} where the root of the format
   *     is counted: the numbers that it counts
   * @param values in {@code scope} for the values of all records, which may be there; or null
   * @throws WeftException {@code WIDTH_OVERFLOW}, {@code OUT_OF_MEMORY}, {@code INVALID_FORMAT}
   */
  static TensorStorage build(
      MemoryScope scope,
      TensorShape shape,
      TensorFormat format,
      PackRecords records,
      @Nullable NativeArray values) {
    FormatLimits.require(shape, format, 1);
    long[] distinct = distinctRoots(format, records);
    FormBuilder builder = new FormBuilder(records, shape, format, distinct, scope);
    NativeArray made = isNative(format) ? builder.makeNative(values) : null;
    NativeArray all = made == null ? builder.makeLevels(distinct) : made;
    return TensorStorage.ofArrays(
        scope, shape, format, builder.positions, builder.pos, builder.crd, all);
  }

  private @Nullable NativeLevel nativeLevel(int level) {
    return nativeLevel(format, level);
  }

  private static @Nullable NativeLevel nativeLevel(TensorFormat format, int level) {
    return format.level(level).format().nativeLevel().orElse(null);
  }

  /** Whether the runtime knows all levels, and singletons have one parent each. */
  private static boolean isNative(TensorFormat format) {
    for (int level = 0; level < format.levelCount(); level++) {
      NativeLevel made = nativeLevel(format, level);
      boolean below = level > 0 && nativeLevel(format, level - 1) != NativeLevel.DENSE;
      if (made == null
          || format.coordinate(level).isCounted()
          || (made == NativeLevel.SINGLETON && !below)) {
        return false;
      }
    }
    return format.levelCount() <= MOST_LEVELS;
  }

  /** The values; null, with nothing made, if a singleton's parent has several children. */
  private @Nullable NativeArray makeNative(@Nullable NativeArray given) {
    long chunks = (records.size() + PackRecords.CHUNK - 1) / PackRecords.CHUNK;
    try (MemoryScope scratch = MemoryScope.root("levels", MemorySource.system());
        Arguments arguments = records.arguments(count, PER_LEVEL)) {
      arguments.set(5, scratch.allocateUninitialized(ElementType.I64, chunks * count).address());
      for (int level = 0; level < count; level++) {
        list(level, arguments);
      }
      arguments.take(Step.COUNT);
      if (!setPositions(arguments)) {
        return null;
      }
      for (int level = 0; level < count; level++) {
        allocate(level, arguments);
      }
      NativeArray values = given == null ? allocateValues() : given;
      arguments.set(8, records.hasValuesIn(values) ? 0 : values.address());
      arguments.set(9, typeNumber(format.valueType()));
      arguments.set(10, records.isExact() ? 1 : 0);
      arguments.take(Step.BUILD);
      return values;
    }
  }

  private NativeArray allocateValues() {
    boolean dense = count > 0 && nativeLevel(count - 1) == NativeLevel.DENSE;
    ElementType type = format.valueType().elementType();
    long length = count == 0 ? 1 : positions[count - 1];
    boolean zeroed = dense || records.size() == 0;
    return zeroed ? scope.allocate(type, length) : scope.allocateUninitialized(type, length);
  }

  /** The number that {@code packing.h} gives a type of values. */
  static int typeNumber(ValueType type) {
    return switch (type) {
      case DOUBLE -> 0;
      case FLOAT -> 1;
      case INT -> 2;
      case LONG -> 3;
    };
  }

  private void list(int level, Arguments arguments) {
    NativeLevel made = Objects.requireNonNull(nativeLevel(level));
    Coordinate coordinate = records.layout().level(format, level);
    arguments.list(
        PER_LEVEL * level,
        made.ordinal(),
        depth(level),
        targets[level].size(),
        coordinate.bits().word(),
        coordinate.bits().shift(),
        coordinate.bits().bits(),
        coordinate.factor(),
        coordinate.low());
  }

  /** The level down to which entries agree that share a position of {@code level}. */
  private int depth(int level) {
    NativeLevel made = nativeLevel(level);
    boolean paths = made == NativeLevel.COMPRESSED && !format.level(level).properties().unique();
    int depth = paths ? level + format.branchlessBelow(level) : level;
    return level == 0 ? depth : Math.max(depth, depth(level - 1));
  }

  /** False if a singleton's parent has several children. */
  private boolean setPositions(Arguments arguments) {
    for (int level = 0; level < count; level++) {
      long above = level == 0 ? 1 : positions[level - 1];
      boolean dense = nativeLevel(level) == NativeLevel.DENSE;
      positions[level] =
          dense
              ? targets[level].positions(above, targets[level].size())
              : arguments.listed(PER_LEVEL * level + 8);
      if (nativeLevel(level) == NativeLevel.SINGLETON && positions[level] != above) {
        return false;
      }
    }
    return true;
  }

  private void allocate(int level, Arguments arguments) {
    LevelSpec spec = format.level(level);
    if (spec.format().hasPos()) {
      targets[level].requirePos(positions[level]);
      long above = level == 0 ? 1 : positions[level - 1];
      pos[level] = scope.allocateUninitialized(spec.posWidth().elementType(), above + 1);
    }
    if (spec.format().hasCrd()) {
      targets[level].requireCrd();
      crd[level] = scope.allocateUninitialized(spec.crdWidth().elementType(), positions[level]);
    }
    arguments.list(
        PER_LEVEL * level + 8,
        positions[level],
        address(pos[level]),
        spec.posWidth().bytes(),
        address(crd[level]),
        spec.crdWidth().bytes());
  }

  private static long address(@Nullable NativeArray array) {
    return array == null ? 0 : array.address();
  }

  /** The values; each level format builds its own arrays. */
  private NativeArray makeLevels(long[] distinct) {
    Coordinate[] coordinates = new Coordinate[count];
    Arrays.setAll(coordinates, level -> records.layout().level(format, level));
    SortedEntries entries =
        (level, entry) -> {
          long coordinate = records.coordinate(coordinates[level], entry);
          return format.coordinate(level).isCounted()
              ? Arrays.binarySearch(distinct, coordinate)
              : coordinate;
        };
    LevelPacking.Segments segments = LevelPacking.Segments.root(entryCount());
    for (int level = 0; level < count; level++) {
      LevelPacking packing = new LevelPacking(entries, targets[level], segments, scope);
      targets[level].format().pack(packing);
      segments = packing.segments();
      positions[level] = segments.count();
      pos[level] = packing.pos();
      crd[level] = packing.crd();
    }
    NativeArray values = scope.allocate(format.valueType().elementType(), segments.count());
    for (int p = 0; p < segments.count(); p++) {
      if (segments.start(p) < segments.end(p)) {
        store(values, p, segments.start(p), segments.end(p));
      }
    }
    return values;
  }

  private int entryCount() {
    if (records.size() > Integer.MAX_VALUE - 8) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          records.size()
              + " entries are to be stored in "
              + format
              + ", of which one partition holds at most 2^31; use more partitions, or D, CU, CN and"
              + " S levels");
    }
    return (int) records.size();
  }

  /** Stores the sum of entries {@code [from, to)}. */
  private void store(NativeArray values, int position, int from, int to) {
    if (records.isExact()) {
      long sum = 0;
      for (int e = from; e < to; e++) {
        sum += records.longValue(e);
      }
      values.setLong(position, sum);
      return;
    }
    double sum = records.doubleValue(from);
    for (int e = from + 1; e < to; e++) {
      sum += records.doubleValue(e);
    }
    values.setDouble(position, sum);
  }

  /** The different numbers that a root counts, slots or diagonals, in increasing order. */
  private static long[] distinctRoots(TensorFormat format, PackRecords records) {
    if (format.levelCount() == 0 || !format.coordinate(0).isCounted()) {
      return new long[0];
    }
    Coordinate root = records.layout().level(format, 0);
    return LongStream.range(0, records.size())
        .map(entry -> records.coordinate(root, entry))
        .distinct()
        .toArray();
  }
}
