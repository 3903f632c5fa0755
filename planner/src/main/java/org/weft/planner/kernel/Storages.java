package org.weft.planner.kernel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Storages of the tensor of an MTTKRP, rooted at the mode of the result. They differ in the order
 * of the other modes, in the level from which on entries are listed, and in tiles: with {@code
 * {D:2/8192, CU:0, CU:1, CU:2%8192}} the entries of 8,192 rows of the innermost operand come
 * together, so that these rows stay in the cache.
 */
final class Storages {
  /** Expected entries below a position that are worth a loop of their own. */
  private static final double SHORTEST_LOOP = 2;

  /** Kernels over fewer entries take about a millisecond in any format. */
  private static final long SMALL = 1 << 16;

  /** Every order of the other modes is considered for tensors of up to this order. */
  private static final int MOST_MODES = 5;

  /** Smaller tiles leave little of the fibers. */
  private static final long FEWEST_ROWS = 256;

  private static final int FEWEST_TILES = 3;

  /** Sizes of tiles that are considered. */
  private static final int MOST_TILES = 3;

  /** How many times as many rows the next size of a tile has. */
  private static final int LARGER_TILE = 4;

  /**
   * One way to store the tensor.
   *
   * @param format with modes in the order of storage
   * @param levels the tensor's modes in the order of storage
   */
  record Storage(TensorFormat format, List<Integer> levels) {}

  private final TensorShape shape;
  private final long entries;
  private final ValueType type;
  private final double cacheBytes;

  Storages(TensorShape shape, long entries, ValueType type, double cacheBytes) {
    this.shape = shape;
    this.entries = entries;
    this.type = type;
    this.cacheBytes = cacheBytes;
  }

  /** Whether the choice makes a difference. */
  boolean isLarge() {
    return entries >= SMALL;
  }

  /**
   * Compressed levels, the last ones as a list of entries where their fibers are short. Expected
   * positions are those of entries spread evenly over the cells of the upper levels; skewed tensors
   * have fewer, for which both forms take about the same time.
   */
  Storage usual(List<Integer> levels) {
    double cells = shape.size(levels.get(0));
    for (int level = 1; level < levels.size() - 1; level++) {
      cells *= shape.size(levels.get(level));
      double positions = cells * -Math.expm1(-entries / cells);
      if (isLarge() && entries < SHORTEST_LOOP * positions) {
        return storage(levels, level, 0);
      }
    }
    return storage(levels, levels.size(), 0);
  }

  /**
   * All storages that are worth a prediction. Tiles hold half of what rows may count on of the
   * second-level cache, or 4 or 16 times as much: those are for the third-level cache.
   *
   * @param rowBytes of the innermost operand; 0 for no tiles
   */
  List<Storage> others(int root, List<Integer> rest, long rowBytes) {
    List<Storage> all = new ArrayList<>();
    if (shape.order() < 3 || shape.order() > MOST_MODES) {
      return all;
    }
    List<List<Integer>> orders = new ArrayList<>();
    permute(new ArrayList<>(rest), 0, orders);
    for (List<Integer> order : orders) {
      List<Integer> levels = new ArrayList<>(List.of(root));
      levels.addAll(order);
      List<Long> tiles = rowBytes == 0 ? List.of() : tiles(levels.get(levels.size() - 1), rowBytes);
      for (int listed = 1; listed < levels.size(); listed++) {
        // A list of one level is that level.
        int from = listed == levels.size() - 1 ? levels.size() : listed;
        all.add(storage(levels, from, 0));
        tiles.forEach(tile -> all.add(storage(levels, from, tile)));
      }
    }
    return all;
  }

  /** Rows of tiles, fewest first; none where there would be few tiles. */
  private List<Long> tiles(int mode, long rowBytes) {
    List<Long> tiles = new ArrayList<>();
    long rows = Long.highestOneBit((long) Math.max(FEWEST_ROWS, cacheBytes / 2 / rowBytes));
    while (shape.size(mode) >= FEWEST_TILES * rows && tiles.size() < MOST_TILES) {
      tiles.add(rows);
      rows *= LARGER_TILE;
    }
    return tiles;
  }

  private static void permute(List<Integer> modes, int at, List<List<Integer>> orders) {
    if (at == modes.size()) {
      orders.add(List.copyOf(modes));
      return;
    }
    for (int other = at; other < modes.size(); other++) {
      Collections.swap(modes, at, other);
      permute(modes, at + 1, orders);
      Collections.swap(modes, at, other);
    }
  }

  /**
   * @param listed the first level of the list; the number of levels for none
   * @param tile rows of the last level's mode that come together; 0 for all
   */
  private Storage storage(List<Integer> levels, int listed, long tile) {
    int last = levels.size() - 1;
    List<String> texts = new ArrayList<>();
    if (tile > 0) {
      texts.add("D:" + last + "/" + tile);
    }
    for (int level = 0; level <= last; level++) {
      String kind = level < listed ? "CU" : level == listed ? "CN" : "S";
      texts.add(kind + (tile == 0 ? "" : ":" + level + (level == last ? "%" + tile : "")));
    }
    String text = "{" + String.join(", ", texts) + "}";
    return new Storage(TensorFormat.parse(text, shape.order(), type), List.copyOf(levels));
  }
}
