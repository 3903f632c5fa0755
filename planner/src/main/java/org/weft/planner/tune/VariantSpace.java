package org.weft.planner.tune;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.Schedule;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.Width;

/**
 * The state space of a statement. The space of the operands has every combination of dense and
 * compressed levels, and COO, in every mode order. Each combination comes with the narrowest widths
 * and with widths of 32 and 64 bits. Blocks that are nearly full, and tiles, are in the space, too.
 * Dense operands stay as they are.
 *
 * <p>The space of the schedules has every order of the loops, each with one thread or all threads,
 * and splits, vectors, unrolling and workspaces of single labels. The compiler decides which of
 * these variants are legal.
 */
final class VariantSpace {
  private static final int MOST_MODES = 4;
  private static final int MOST_LABELS = 4;

  /**
   * A dense format of a sparse operand is tried when at least this share of its cells is stored.
   */
  private static final double DENSE_FROM = 0.02;

  private VariantSpace() {}

  /**
   * Formats worth trying for one operand; its own comes first.
   *
   * @param structured formats of blocks that its entries fill, and of tiles
   */
  static List<TensorFormat> formats(TensorStorage operand, Set<TensorFormat> structured) {
    TensorFormat given = operand.format();
    Set<TensorFormat> formats = new LinkedHashSet<>(List.of(given));
    int order = given.order();
    if (given.isDense() || order == 0 || order > MOST_MODES) {
      return new ArrayList<>(formats);
    }
    double cells = operand.shape().cells();
    boolean dense = cells > 0 && operand.storedEntries() >= DENSE_FROM * cells;
    for (List<Integer> modes : permutations(order)) {
      int[] modeOrder = modes.stream().mapToInt(m -> m).toArray();
      List<TensorFormat> layouts = new ArrayList<>();
      layouts.add(TensorFormat.coo(order, given.valueType()).withModeOrder(modeOrder));
      for (int bits = dense ? 0 : 1; bits < 1 << order; bits++) {
        List<LevelSpec> levels = new ArrayList<>();
        for (int level = 0; level < order; level++) {
          levels.add(LevelSpec.of((bits >> (order - 1 - level) & 1) == 1 ? "CU" : "D"));
        }
        if (fits(levels, modeOrder, operand)) {
          layouts.add(new TensorFormat(levels, modeOrder, given.valueType()));
        }
      }
      for (TensorFormat layout : layouts) {
        formats.add(layout.narrowedFor(operand.shape(), operand.storedEntries()));
        formats.add(layout.withWidths(Width.W64, Width.W64));
        formats.add(layout.withWidths(Width.W32, Width.W32));
      }
    }
    formats.addAll(structured);
    formats.removeIf(format -> !holds(format, operand));
    return new ArrayList<>(formats);
  }

  /** Whether no dense levels multiply to far more positions than there are entries. */
  private static boolean fits(List<LevelSpec> levels, int[] modeOrder, TensorStorage operand) {
    double positions = 1;
    double entries = Math.max(1, operand.storedEntries());
    for (int level = 0; level < levels.size(); level++) {
      double size = Math.max(1, operand.shape().size(modeOrder[level]));
      boolean full = levels.get(level).properties().full();
      positions = full ? positions * size : Math.min(positions * size, entries);
      if (positions > Math.max(64 * entries, 1 << 20)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the widths of {@code format} hold every coordinate and position of the operand. */
  private static boolean holds(TensorFormat format, TensorStorage operand) {
    TensorFormat least = format.narrowedFor(operand.shape(), operand.storedEntries());
    for (int level = 0; level < format.levelCount(); level++) {
      LevelSpec spec = format.level(level);
      if (spec.crdWidth().bits() < least.level(level).crdWidth().bits()
          || spec.posWidth().bits() < least.level(level).posWidth().bits()) {
        return false;
      }
    }
    return true;
  }

  /** All combinations of the formats in {@code choices}, at most {@code most} of them. */
  static List<Map<String, TensorFormat>> combinations(
      Map<String, List<TensorFormat>> choices, int most) {
    List<Map<String, TensorFormat>> combinations = new ArrayList<>(List.of(Map.of()));
    for (Map.Entry<String, List<TensorFormat>> choice : choices.entrySet()) {
      List<Map<String, TensorFormat>> longer = new ArrayList<>();
      for (TensorFormat format : choice.getValue()) {
        for (Map<String, TensorFormat> combination : combinations) {
          Map<String, TensorFormat> next = new LinkedHashMap<>(combination);
          next.put(choice.getKey(), format);
          longer.add(next);
        }
      }
      combinations = longer.size() > most ? longer.subList(0, most) : longer;
    }
    return combinations;
  }

  /** Schedules of a statement with {@code labels}; the one without tuning comes first. */
  static List<Schedule> schedules(List<String> labels, int threads) {
    Set<String> texts = new LinkedHashSet<>(List.of("parallel", "sequential"));
    List<String> orders = new ArrayList<>(List.of(""));
    if (labels.size() > 1 && labels.size() <= MOST_LABELS) {
      for (List<Integer> order : permutations(labels.size())) {
        orders.add("order(" + String.join(",", order.stream().map(labels::get).toList()) + ") ");
      }
    }
    for (String label : labels) {
      texts.add("gemm(" + label + ")" + (threads > 1 ? " parallel" : ""));
    }
    for (String order : orders) {
      texts.add(order + (threads > 1 ? "parallel" : ""));
      for (String label : labels) {
        texts.add(order + "vector(" + label + ")");
        texts.add(order + "unroll(" + label + ",4)");
        texts.add(order + "workspace(" + label + ":dense)");
        texts.add(order + "workspace(" + label + ":hashed)");
        if (threads > 1) {
          texts.add(order + "parallel(" + label + ")");
          texts.add(order + "split(" + label + ":position:256) parallel(" + label + ")");
          texts.add(order + "split(" + label + ":coordinate:64) parallel(" + label + ")");
        }
      }
    }
    return texts.stream().map(Schedule::parse).distinct().toList();
  }

  /** All orders of {@code 0..n-1}, the ascending one first. */
  static List<List<Integer>> permutations(int n) {
    if (n == 0) {
      return List.of(List.of());
    }
    List<List<Integer>> all = new ArrayList<>();
    for (List<Integer> shorter : permutations(n - 1)) {
      for (int at = shorter.size(); at >= 0; at--) {
        List<Integer> longer = new ArrayList<>(shorter);
        longer.add(at, n - 1);
        all.add(longer);
      }
    }
    return all;
  }
}
