package org.weft.planner.tune;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.Directive;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.IndexVar;
import org.weft.planner.machine.MachineConstant;
import org.weft.planner.machine.MachineParameters;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;

/**
 * Predicts seconds of a variant, to choose which variants are worth timing.
 *
 * <p>The number of positions of a compressed level is the expected number of distinct prefixes
 * among n uniform entries, {@code c (1 - exp(-n / c))} for c cells. A loop of a product runs once
 * for every combination of the surrounding loops that the sparsest operand stores. A loop of a sum
 * runs once for every combination that any operand stores. A block {@code i/4} and an offset {@code
 * i%4} are two loops, which bind {@code i} together.
 *
 * <p>Storage is read once at stream bandwidth. Every other element of a dense operand costs a read
 * from the cache. An operand that is larger than the cache is fetched from memory first. It comes
 * in whole cache lines, unless its innermost label is the innermost loop. It is fetched by every
 * read, or once for each time that the loops enter a block of its rows that fits the cache.
 */
final class VariantCost {
  private static final double LINE_BYTES = 64;
  private static final double LOOP_SECONDS = 0.6e-9;

  /** Iterations of an innermost loop that are one where neighbours are. */
  private static final double LANES = 4;

  /** The same in packed panels, whose numbers stay in registers. */
  private static final double PANEL_LANES = 16;

  /** To start the tasks of a parallel loop, every time that it is reached. */
  private static final double START_SECONDS = 4e-6;

  /**
   * One use of a tensor: its labels by mode, shape and entries.
   *
   * @param blocks stored blocks in each format of {@link BlockFormats}
   */
  record Use(
      String tensor,
      List<String> labels,
      TensorShape shape,
      double entries,
      Map<TensorFormat, Long> blocks) {}

  private final List<Use> operands;
  private final Use result;
  private final boolean product;
  private final Map<String, Long> sizes = new LinkedHashMap<>();
  private final MachineParameters machine;
  private final int threads;

  VariantCost(
      List<Use> operands, Use result, boolean product, MachineParameters machine, int threads) {
    this.operands = List.copyOf(operands);
    this.result = result;
    this.product = product;
    this.machine = machine;
    this.threads = threads;
    List<Use> all = new ArrayList<>(List.of(result));
    all.addAll(operands);
    for (Use use : all) {
      for (int mode = 0; mode < use.labels().size(); mode++) {
        sizes.put(use.labels().get(mode), use.shape().size(mode));
      }
    }
  }

  /** Labels, those of the result first. */
  List<String> labels() {
    return List.copyOf(sizes.keySet());
  }

  /** Bytes of one operand in {@code format}. */
  static double storageBytes(Use use, TensorFormat format) {
    double bytes = 0;
    double parents = 1;
    for (int level = 0; level < format.levelCount(); level++) {
      double positions = positions(use, format, level + 1);
      bytes += format.level(level).bytes(parents, positions);
      parents = positions;
    }
    return bytes + parents * format.valueType().bytes();
  }

  /** Expected positions after {@code levels} levels. */
  private static double positions(Use use, TensorFormat format, int levels) {
    double cells = 1;
    double positions = 1;
    Long blocks = use.blocks().get(format);
    for (int level = 0; level < levels; level++) {
      double size = size(use, format, level);
      cells *= size;
      LevelSpec spec = format.level(level);
      if (spec.properties().full()) {
        positions *= size;
      } else if (blocks != null) {
        positions = blocks;
      } else if (!spec.properties().unique() || spec.properties().branchless()) {
        positions = use.entries();
      } else {
        positions = Math.min(positions * size, distinct(cells, use.entries()));
      }
    }
    return positions;
  }

  /** Coordinates of a level: of slots, about as many as a row has entries. */
  private static double size(Use use, TensorFormat format, int level) {
    return format.coordinate(level).isCounted()
        ? Math.max(1, use.entries() / Math.max(1, use.shape().size(0)))
        : Math.max(1, format.levelSize(use.shape(), level));
  }

  private static double distinct(double cells, double entries) {
    return cells <= 0 ? 0 : Math.min(entries, -cells * Math.expm1(-entries / cells));
  }

  /**
   * Predicted seconds.
   *
   * @param order the loops, outermost first
   */
  double seconds(Map<String, TensorFormat> formats, List<String> order, Schedule schedule) {
    double seconds = 0;
    Set<String> bound = new HashSet<>();
    double trips = 1;
    String innermost =
        order.isEmpty() ? "" : new IndexVar(order.get(order.size() - 1)).label().name();
    for (String loop : order) {
      double merged = trips * mergedSegments(formats, bound, loop);
      bound.add(loop);
      trips = Math.max(1, trips(formats, bound));
      seconds += Math.max(0, merged - trips) * LOOP_SECONDS;
      boolean last = bound.size() == order.size();
      double lanes = runsAlong(innermost, formats) ? LANES : 1;
      lanes = schedule.gemm().isPresent() ? PANEL_LANES : lanes;
      seconds += trips * LOOP_SECONDS / (last ? lanes : 1);
    }
    List<Use> all = uses();
    for (Use use : all) {
      TensorFormat format = format(formats, use);
      double storage = storageBytes(use, format);
      seconds += storage / machine.streamBytesPerSecond();
      seconds += randomReads(use, format, order, innermost, storage, formats);
    }
    boolean parallel = schedule.parallelOutermost();
    for (int at = 0; at < order.size(); at++) {
      if (schedule.find(Directive.Parallel.class, order.get(at)).isPresent()) {
        parallel = true;
        seconds += trips(formats, new HashSet<>(order.subList(0, at))) * START_SECONDS;
      }
    }
    double pieces = order.isEmpty() ? 1 : size(order.get(0));
    return machine.get(MachineConstant.CALL)
        + (parallel ? seconds / Math.min(threads, pieces) : seconds);
  }

  /**
   * Coordinates that one run of the loop passes where it merges segments of several operands: all
   * that they store, however few they share; 0 where it walks one or none.
   *
   * @param bound the loops around it
   */
  private double mergedSegments(Map<String, TensorFormat> formats, Set<String> bound, String loop) {
    int segments = 0;
    double coordinates = 0;
    for (Use use : operands) {
      TensorFormat format = format(formats, use);
      int level = 0;
      while (level < format.levelCount() && binds(bound, loop(use, format, level))) {
        level++;
      }
      boolean walked =
          level < format.levelCount()
              && !format.level(level).properties().full()
              && loop(use, format, level).equals(loop);
      if (walked) {
        double parents = level == 0 ? 1 : Math.max(1, positions(use, format, level));
        segments++;
        coordinates += positions(use, format, level + 1) / parents;
      }
    }
    return segments > 1 ? coordinates : 0;
  }

  private List<Use> uses() {
    List<Use> all = new ArrayList<>(operands);
    all.add(result);
    return all;
  }

  /** Whether a loop over the label finds neighbours in all tensors that have it: in vectors. */
  private boolean runsAlong(String label, Map<String, TensorFormat> formats) {
    return uses().stream()
        .filter(use -> use.labels().contains(label))
        .allMatch(use -> format(formats, use).isDense() && isLast(use, label, formats));
  }

  private static boolean isLast(Use use, String label, Map<String, TensorFormat> formats) {
    TensorFormat format = format(formats, use);
    return use.labels().get(format.modeOf(format.levelCount() - 1)).equals(label);
  }

  /** Reads of a tensor that is not walked in its own order, beyond one pass over it. */
  private double randomReads(
      Use use,
      TensorFormat format,
      List<String> order,
      String innermost,
      double storage,
      Map<String, TensorFormat> formats) {
    if (!format.isDense() || use.labels().isEmpty()) {
      return 0;
    }
    Set<String> prefix = new HashSet<>();
    for (String loop : order) {
      prefix.add(loop);
      if (use.labels().stream().allMatch(label -> binds(prefix, label))) {
        break;
      }
    }
    double reads = trips(formats, prefix);
    int bytes = format.valueType().bytes();
    double seconds = reads * bytes / machine.cachedBytesPerSecond();
    if (storage <= machine.cacheBytes()) {
      return seconds;
    }
    boolean streams = isLast(use, innermost, formats);
    double fetched = Math.min(reads, fetched(use, order, storage / bytes, formats));
    double perFetch = streams ? bytes : LINE_BYTES;
    return seconds
        + fetched
            * perFetch
            / (storage <= machine.sharedCacheBytes()
                ? machine.sharedBytesPerSecond()
                : machine.streamBytesPerSecond());
  }

  /** Cells that come from far: all of a block of rows, whenever its loop is entered. */
  private double fetched(
      Use use, List<String> order, double cells, Map<String, TensorFormat> formats) {
    String rows = use.labels().get(0);
    Set<String> prefix = new HashSet<>();
    for (String loop : order) {
      prefix.add(loop);
      IndexVar variable = new IndexVar(loop);
      if (variable.isBlock() && variable.label().name().equals(rows)) {
        double block = cells * variable.blockSize() / Math.max(1, use.shape().size(0));
        double bytes = block * format(formats, use).valueType().bytes();
        return bytes <= machine.cacheBytes()
            ? trips(formats, prefix) * block
            : Double.POSITIVE_INFINITY;
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  /** Expected iterations of the loops over {@code bound}. */
  private double trips(Map<String, TensorFormat> formats, Set<String> bound) {
    double all = 1;
    for (String loop : bound) {
      all *= size(loop);
    }
    double least = all;
    double sum = 0;
    for (Use use : operands) {
      TensorFormat format = format(formats, use);
      double cells = 1;
      int levels = 0;
      while (levels < format.levelCount() && binds(bound, loop(use, format, levels))) {
        cells *= size(use, format, levels);
        levels++;
      }
      double inside = levels == 0 ? 1 : positions(use, format, levels);
      double trips = all / cells * inside;
      least = Math.min(least, trips);
      sum += trips;
    }
    return product ? least : Math.min(all, sum);
  }

  /** The loop over the coordinates of a level; empty for those that are only counted. */
  private static String loop(Use use, TensorFormat format, int level) {
    LevelCoordinate coordinate = format.coordinate(level);
    if (coordinate.isCounted()) {
      return "";
    }
    IndexVar label = new IndexVar(use.labels().get(format.modeOf(level)));
    if (coordinate instanceof LevelCoordinate.Block block) {
      return IndexVar.block(label, block.size()).name();
    }
    return coordinate instanceof LevelCoordinate.Within within
        ? IndexVar.within(label, within.size()).name()
        : label.name();
  }

  /** Whether {@code loops} give the label a value, perhaps by its two parts. */
  private static boolean binds(Set<String> loops, String label) {
    return loops.contains(label)
        || loops.stream()
            .map(IndexVar::new)
            .filter(loop -> loop.isBlock() && loop.label().name().equals(label))
            .anyMatch(
                loop -> loops.contains(IndexVar.within(loop.label(), loop.blockSize()).name()));
  }

  /** Iterations of a loop, 1 for one over slots or diagonals. */
  private double size(String loop) {
    IndexVar variable = new IndexVar(loop);
    double whole = Math.max(1, sizes.getOrDefault(variable.label().name(), 1L));
    if (variable.isWithin()) {
      return variable.blockSize();
    }
    return variable.isBlock() ? Math.ceil(whole / variable.blockSize()) : whole;
  }

  private static TensorFormat format(Map<String, TensorFormat> formats, Use use) {
    TensorFormat format = formats.get(use.tensor());
    if (format == null) {
      throw new IllegalArgumentException("the variant has no format for " + use.tensor());
    }
    return format;
  }
}
