package org.weft.compiler.convert;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.compiler.level.SplitLevel;
import org.weft.compiler.lower.Lowering;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;
import org.weft.tensor.level.LevelCapability;
import org.weft.tensor.level.LevelProperties;
import org.weft.text.Counts;

/**
 * How entries get from one format to another.
 *
 * <p>One copy, where the order in which the source can be walked is one in which the result can be
 * written; one bucket pass, where only the random-access levels of the result are out of order (CSR
 * to CSC); in general a copy to coordinates, a sort, and a copy to the result. The sort goes by as
 * few modes as the source's own order leaves to do. Sources whose levels are unordered or repeat
 * coordinates are listed in whatever order they are stored; results that may be unordered are made
 * in order, as packing makes them.
 *
 * @param steps in order; empty when the formats are equal and a plain copy of arrays is left to do
 */
public record ConversionPlan(TensorFormat from, TensorFormat to, List<ConversionStep> steps) {
  public ConversionPlan {
    steps = List.copyOf(steps);
  }

  /**
   * The plan for tensors of {@code shape}. What is an entry: whatever a level that is not full
   * stores, zeros too; but where the source's last level is full (dense, blocks, diagonals), zeros
   * cannot be told from padding and are none, so that a dense matrix becomes a CSR matrix of its
   * nonzeros. They stay where the result is full as well, or has the same levels in other widths.
   *
   * @throws WeftException {@code INVALID_FORMAT} if the formats have different orders
   */
  public static ConversionPlan of(TensorFormat from, TensorFormat to, TensorShape shape) {
    return of(from, to, shape, from.endsFull() && !to.isDense() && !sameLevels(from, to));
  }

  /**
   * As above, but zeros of a full last level are entries too: those of a dense tensor are, and what
   * else pads is converted for expressions that see zeros by {@link #ofNonzeros}.
   */
  public static ConversionPlan ofStored(TensorFormat from, TensorFormat to, TensorShape shape) {
    return of(from, to, shape, false);
  }

  /** As above, but no zero is an entry. */
  public static ConversionPlan ofNonzeros(TensorFormat from, TensorFormat to, TensorShape shape) {
    return of(from, to, shape, true);
  }

  private static ConversionPlan of(
      TensorFormat from, TensorFormat to, TensorShape shape, boolean drop) {
    if (from.order() != to.order()) {
      throw new WeftException(
          ErrorCode.INVALID_FORMAT,
          "expected a format for the "
              + Counts.plain(from.order(), "mode")
              + " of a tensor stored as "
              + from
              + ", found "
              + to
              + ", which has "
              + to.order());
    }
    TensorFormat ordered = ordered(to);
    if (!ordered.equals(to)) {
      return of(from, ordered, shape, drop).declared(to);
    }
    if (isStructured(from) || isStructured(to) || repeats(from)) {
      return structured(from, to, shape, drop);
    }
    if (copies(from, to)) {
      return new ConversionPlan(from, to, List.of(new ConversionStep.Copy(from, to, drop)));
    }
    if (fillsBuckets(from, to)) {
      return new ConversionPlan(from, to, List.of(new ConversionStep.Bucket(from, to, drop)));
    }
    return throughCoordinates(from, to, shape, drop);
  }

  /**
   * Formats with more levels than modes, unordered levels, and levels that are neither dense nor
   * appended: blocks that one walk can append are; else entries are listed, sorted and assembled.
   */
  private static ConversionPlan structured(
      TensorFormat from, TensorFormat to, TensorShape shape, boolean drop) {
    if (!isAssembled(to) && isWalkedInto(from, to)) {
      return new ConversionPlan(from, to, List.of(new ConversionStep.Copy(from, to, drop)));
    }
    TensorFormat by = listed(to);
    TensorFormat list = list(by, shape);
    int keys = to.isInsertable() ? 0 : list.order();
    return new ConversionPlan(
        from,
        to,
        List.of(
            new ConversionStep.Enumerate(from, list, by, drop),
            new ConversionStep.Sort(list, keys),
            new ConversionStep.Assemble(list, to)));
  }

  /**
   * The format by whose levels entries are listed: slots number entries that are sorted by modes.
   */
  private static TensorFormat listed(TensorFormat to) {
    boolean slots = to.coordinate(0) instanceof LevelCoordinate.Slot;
    return slots
        ? TensorFormat.dense(to.order(), to.valueType()).withModeOrder(to.modeOrder())
        : to;
  }

  /** COO with a mode for every level of {@code by}. */
  private static TensorFormat list(TensorFormat by, TensorShape shape) {
    TensorShape sizes = listShape(by, shape);
    TensorFormat list = TensorFormat.coo(sizes.order(), by.valueType());
    for (int level = 0; level < sizes.order(); level++) {
      long largest = Math.max(0, sizes.size(level) - 1);
      list = list.withLevelWidths(level, Width.W64, Width.narrowestFor(largest));
    }
    return list;
  }

  /**
   * The shape of a list of entries by the levels of {@code by}: diagonals have as many coordinates
   * as the matrix has diagonals.
   */
  static TensorShape listShape(TensorFormat by, TensorShape shape) {
    long[] sizes = new long[by.levelCount()];
    for (int level = 0; level < sizes.length; level++) {
      if (by.coordinate(level) instanceof LevelCoordinate.Diagonal) {
        long rows = shape.size(by.modeOrder()[0]);
        long columns = shape.size(by.modeOrder()[1]);
        sizes[level] = Math.max(0, Math.addExact(rows, columns) - 1);
      } else {
        sizes[level] = by.levelSize(shape, level);
      }
    }
    return TensorShape.of(sizes);
  }

  /**
   * {@code format} with every level in order that its level format can keep in order. Packing and
   * kernels sort such levels anyway, so that the arrays of both are the same.
   */
  public static TensorFormat ordered(TensorFormat format) {
    return withLevels(
        format,
        format.levels().stream()
            .map(
                level ->
                    withOrder(
                        level, level.format().properties().ordered(), level.properties().unique()))
            .toList());
  }

  /**
   * {@code format} as a walk over single positions sees it: every position is a coordinate of its
   * own, and the next one is whatever is stored next.
   */
  static TensorFormat walked(TensorFormat format) {
    return withLevels(
        format, format.levels().stream().map(level -> withOrder(level, true, true)).toList());
  }

  private static LevelSpec withOrder(LevelSpec level, boolean ordered, boolean unique) {
    LevelProperties p = level.properties();
    return new LevelSpec(
        level.format(),
        new LevelProperties(p.full(), ordered, unique, p.branchless(), p.compact()),
        level.posWidth(),
        level.crdWidth());
  }

  private static TensorFormat withLevels(TensorFormat format, List<LevelSpec> levels) {
    return new TensorFormat(
        levels,
        IntStream.range(0, levels.size()).mapToObj(format::coordinate).toList(),
        format.modeOrder(),
        format.valueType());
  }

  /**
   * Whether the format may store a cell twice: a level repeats coordinates, and there is no unique
   * end to the branchless levels below it, as there is in COO.
   */
  private static boolean repeats(TensorFormat format) {
    int last = format.levelCount() - 1;
    for (int level = 0; level <= last; level++) {
      boolean chain =
          level < last
              && level + format.branchlessBelow(level) == last
              && format.level(last).properties().unique();
      if (!format.level(level).properties().unique() && !chain) {
        return true;
      }
    }
    return false;
  }

  /** Whether one kernel can walk the source, with its variables as blocked as the result's. */
  private static boolean isWalkedInto(TensorFormat from, TensorFormat to) {
    if (repeats(from)) {
      return false;
    }
    boolean inOrder =
        !isCounted(from) && from.levels().stream().allMatch(l -> l.properties().ordered());
    if (to.isOrdinary()) {
      return inOrder || to.isInsertable();
    }
    return inOrder
        && (from.isOrdinary()
            ? from.levels().stream().allMatch(SplitLevel::supports)
            : sameCoordinates(from, to));
  }

  private static boolean sameCoordinates(TensorFormat a, TensorFormat b) {
    return a.levelCount() == b.levelCount()
        && Arrays.equals(a.modeOrder(), b.modeOrder())
        && IntStream.range(0, a.levelCount())
            .allMatch(level -> a.coordinate(level).equals(b.coordinate(level)));
  }

  private static boolean isCounted(TensorFormat format) {
    return format.levelCount() > 0 && format.coordinate(0).isCounted();
  }

  /**
   * Whether entries have to be inserted: some level neither has random access nor appends, or takes
   * one coordinate per parent although the level above does not repeat its own.
   */
  private static boolean isAssembled(TensorFormat format) {
    return isCounted(format)
        || hasLoneChildren(format)
        || format.levels().stream()
            .anyMatch(
                level ->
                    !isRandom(level)
                        && !level.format().capabilities().contains(LevelCapability.APPEND));
  }

  private static boolean hasLoneChildren(TensorFormat format) {
    boolean repeats = false;
    for (LevelSpec level : format.levels()) {
      if (level.properties().branchless() && !repeats) {
        return true;
      }
      repeats = level.properties().branchless() ? repeats : !level.properties().unique();
    }
    return false;
  }

  private static boolean isStructured(TensorFormat format) {
    return !format.isOrdinary()
        || isAssembled(format)
        || format.levels().stream().anyMatch(level -> !level.properties().ordered());
  }

  /** These steps, whose result then goes by the name of {@code format}. */
  private ConversionPlan declared(TensorFormat format) {
    List<ConversionStep> more = new ArrayList<>(steps);
    more.add(new ConversionStep.Declare(format));
    return new ConversionPlan(from, format, more);
  }

  /** The same steps into a format that differs in widths only. */
  public ConversionPlan into(TensorFormat wider) {
    List<ConversionStep> changed = new ArrayList<>(steps);
    ConversionStep last = changed.remove(changed.size() - 1);
    if (last instanceof ConversionStep.Declare) {
      TensorFormat ordered = ordered(wider);
      return new ConversionPlan(from, ordered(to), changed).into(ordered).declared(wider);
    } else if (last instanceof ConversionStep.Copy copy) {
      changed.add(new ConversionStep.Copy(copy.from(), wider, copy.dropZeros()));
    } else if (last instanceof ConversionStep.Bucket bucket) {
      changed.add(new ConversionStep.Bucket(bucket.from(), wider, bucket.dropZeros()));
    } else if (last instanceof ConversionStep.Assemble assemble) {
      changed.add(new ConversionStep.Assemble(assemble.from(), wider));
    } else {
      changed.add(last);
      changed.add(new ConversionStep.Copy(last.to(), wider, false));
    }
    return new ConversionPlan(from, wider, changed);
  }

  private static ConversionPlan throughCoordinates(
      TensorFormat from, TensorFormat to, TensorShape shape, boolean drop) {
    List<ConversionStep> steps = new ArrayList<>();
    TensorFormat walked = coordinates(from, shape, to.valueType()).withModeOrder(from.modeOrder());
    steps.add(new ConversionStep.Copy(from, walked, drop));
    TensorFormat sorted = coordinates(from, shape, to.valueType()).withModeOrder(to.modeOrder());
    steps.add(new ConversionStep.Sort(widthsByMode(walked, sorted), keys(from, to)));
    if (!sorted.equals(to)) {
      steps.add(new ConversionStep.Copy(widthsByMode(walked, sorted), to, false));
    }
    return new ConversionPlan(from, to, steps);
  }

  /** COO for a tensor of {@code shape}, with coordinates as narrow as they can be. */
  static TensorFormat coordinates(TensorFormat like, TensorShape shape, ValueType type) {
    TensorFormat format = TensorFormat.coo(like.order(), type).withModeOrder(like.modeOrder());
    for (int level = 0; level < format.order(); level++) {
      long largest = Math.max(0, shape.size(format.modeOf(level)) - 1);
      format = format.withLevelWidths(level, Width.W64, Width.narrowestFor(largest));
    }
    return format;
  }

  /** {@code to}, whose levels have the coordinate widths that their modes have in {@code from}. */
  private static TensorFormat widthsByMode(TensorFormat from, TensorFormat to) {
    TensorFormat format = to;
    for (int level = 0; level < to.order(); level++) {
      for (int old = 0; old < from.order(); old++) {
        if (from.modeOf(old) == to.modeOf(level)) {
          format = format.withLevelWidths(level, Width.W64, from.level(old).crdWidth());
        }
      }
    }
    return format;
  }

  /** How many leading levels of {@code to} entries have to be sorted by that come from a walk. */
  static int keys(TensorFormat from, TensorFormat to) {
    boolean ordered = from.levels().stream().allMatch(level -> level.properties().ordered());
    if (!ordered) {
      return to.order();
    }
    for (int keys = 0; keys < to.order(); keys++) {
      if (inSourceOrder(from, to, keys)) {
        return keys;
      }
    }
    return to.order();
  }

  /** Whether the modes of {@code to} from {@code level} on appear in {@code from} in that order. */
  private static boolean inSourceOrder(TensorFormat from, TensorFormat to, int level) {
    int previous = -1;
    for (int at = level; at < to.order(); at++) {
      int place = levelOf(from, to.modeOf(at));
      if (place < previous) {
        return false;
      }
      previous = place;
    }
    return true;
  }

  private static int levelOf(TensorFormat format, int mode) {
    for (int level = 0; level < format.order(); level++) {
      if (format.modeOf(level) == mode) {
        return level;
      }
    }
    throw new IllegalArgumentException(format + " has no mode " + mode);
  }

  /** Whether one walk over the source can write the result in its order. */
  private static boolean copies(TensorFormat from, TensorFormat to) {
    if (to.isInsertable()) {
      return true;
    }
    int order = from.order();
    boolean[][] before = new boolean[order][order];
    for (int level = 0; level < order; level++) {
      for (int above = 0; above < level; above++) {
        if (!isRandom(from.level(level))) {
          before[from.modeOf(above)][from.modeOf(level)] = true;
        }
      }
    }
    int last = order - 1;
    while (last >= 0 && isRandom(to.level(last))) {
      last--;
    }
    for (int level = 1; last >= 0 && level < order; level++) {
      before[to.modeOf(Math.min(level - 1, last))][to.modeOf(level)] = true;
    }
    boolean ordered = from.levels().stream().allMatch(level -> level.properties().ordered());
    return isAcyclic(before) && ordered;
  }

  private static boolean isAcyclic(boolean[][] before) {
    int order = before.length;
    for (int via = 0; via < order; via++) {
      for (int a = 0; a < order; a++) {
        for (int b = 0; b < order; b++) {
          before[a][b] |= before[a][via] && before[via][b];
        }
      }
    }
    for (int mode = 0; mode < order; mode++) {
      if (before[mode][mode]) {
        return false;
      }
    }
    return true;
  }

  /** Whether the source is in order below the random-access levels of the result. */
  private static boolean fillsBuckets(TensorFormat from, TensorFormat to) {
    if (!Lowering.assemblesInBuckets(to)) {
      return false;
    }
    int group = 0;
    while (isRandom(to.level(group))) {
      group++;
    }
    boolean unique =
        from.level(from.order() - 1).properties().unique()
            && from.levels().stream().allMatch(level -> level.properties().ordered());
    return unique && inSourceOrder(from, to, group);
  }

  private static boolean sameLevels(TensorFormat a, TensorFormat b) {
    return sameCoordinates(a, b)
        && a.levels().stream()
            .map(level -> level.format().symbol())
            .toList()
            .equals(b.levels().stream().map(level -> level.format().symbol()).toList())
        && Arrays.equals(a.modeOrder(), b.modeOrder());
  }

  private static boolean isRandom(LevelSpec level) {
    return level.properties().full()
        && level.format().capabilities().contains(LevelCapability.LOCATE);
  }

  /** One line per step. */
  @Override
  public String toString() {
    return steps.stream().map(step -> step + "\n").collect(Collectors.joining());
  }
}
