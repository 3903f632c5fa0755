package org.weft.planner.kernel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Lists the storages that the planner considers for the tensor of an MTTKRP. The root of each
 * storage is the mode of the result. The storages differ in three ways:
 *
 * <ul>
 *   <li>the order of the other modes;
 *   <li>the level from which on a list of entries takes the place of compressed levels, which is
 *       better for short fibers;
 *   <li>tiles: {@code {D:2/8192, CU:0, CU:1, CU:2%8192}} stores the entries of 8,192 rows of the
 *       innermost operand together, so that these rows stay in a cache.
 * </ul>
 *
 * @param cacheBytes the bytes of a thread's cache that rows of operands may count on
 */
record Storages(TensorShape shape, long entries, ValueType type, double cacheBytes) {
  /** A position with fewer expected entries below it is not worth a loop of its own. */
  private static final double SHORTEST_LOOP = 2;

  /** A kernel over fewer entries takes about a millisecond in any format. */
  private static final long SMALL = 1 << 16;

  /** Up to this order of the tensor, all orders of the other modes are considered. */
  private static final int MOST_MODES = 5;

  /** A tile has at least so many rows: smaller tiles would cut fibers to pieces. */
  private static final long FEWEST_ROWS = 256;

  /** A mode that has fewer tiles is not tiled. */
  private static final int FEWEST_TILES = 3;

  /** At most so many sizes of tiles are considered. */
  private static final int MOST_TILES = 3;

  /** The next size of a tile has so many times as many rows. */
  private static final int LARGER_TILE = 4;

  /**
   * One way to store the tensor.
   *
   * @param format with modes in the order of storage
   * @param levels the tensor's modes in the order of storage, the root first
   */
  record Storage(TensorFormat format, List<Integer> levels) {}

  /** Whether the tensor has so many entries that the choice of the storage makes a difference. */
  boolean isLarge() {
    return entries >= SMALL;
  }

  /**
   * The storage without a prediction: compressed levels, and a list of entries in place of the last
   * levels if their fibers are short. The expected positions are those of entries that are spread
   * evenly over the cells of the upper levels. A skewed tensor has fewer positions, but then both
   * forms take about the same time.
   *
   * @param levels the tensor's modes in the order of storage
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
   * All storages that are worth a prediction of their time; none for a tensor of fewer than 3 or
   * more than 5 modes. The rows of the smallest tile take half of the bytes that rows may count on
   * in a thread's cache. Tiles of 4 and 16 times as many rows are for the cache of all threads.
   *
   * @param root the mode of the result
   * @param rest the other modes
   * @param rowBytes bytes of a row of the innermost operand; 0 for no tiles
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

  /** The sizes of tiles of a mode in rows, the smallest first. Small modes have none. */
  private List<Long> tiles(int mode, long rowBytes) {
    List<Long> tiles = new ArrayList<>();
    long rows = Long.highestOneBit((long) Math.max(FEWEST_ROWS, cacheBytes / 2 / rowBytes));
    while (shape.size(mode) >= FEWEST_TILES * rows && tiles.size() < MOST_TILES) {
      tiles.add(rows);
      rows *= LARGER_TILE;
    }
    return tiles;
  }

  /** Adds all permutations of the modes from place {@code at} on. */
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
   * Describes a storage.
   *
   * @param levels the tensor's modes in the order of storage
   * @param listed the first level of the list of entries; the number of levels for no list
   * @param tile how many rows of the last level's mode a tile has; 0 for no tiles
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
