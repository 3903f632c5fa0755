package org.weft.compiler;

import java.io.Serializable;

/**
 * How large the blocks of a contraction in packed panels are. The tile of {@code wide x high} cells
 * of the result stays in vector registers: {@code wide} runs along the result's neighbours, in
 * lanes, and {@code high} along the other operand, whose numbers are copied to all lanes.
 *
 * <p>{@link #of} follows Goto and van de Geijn (TOMS 2008) and Low et al. (TOMS 2016): a panel of
 * {@code high x depth} takes half of the first cache, a block of {@code wideBlock x depth} half of
 * the second, and a block of {@code highBlock x depth} a share of the third.
 *
 * @param wide cells of a tile along the lanes
 * @param high rows of a tile
 * @param depth terms of a sum between two visits of a cell
 * @param wideBlock cells along the lanes in one block, a multiple of {@code wide}
 * @param highBlock rows in one block, a multiple of {@code high}
 */
public record GemmTiles(long wide, long high, long depth, long wideBlock, long highBlock)
    implements Serializable {
  private static final long LARGEST_BLOCK = 1 << 20;

  /** Another tile is taken if it takes less than this share of the time. */
  private static final double FEWER = 0.93;

  /**
   * How many times as long a cell takes in a tile of one vector, which loads a number for each
   * multiply-addition: measured for runs of 12 to 44 doubles in 256-bit registers.
   */
  private static final double ONE_VECTOR = 1.2;

  /** Rows of a panel for which terms are counted, whatever the tile. */
  private static final long ROWS = 8;

  /** Of the second cache, a part that leaves room for what else is under way. */
  private static final double FEW = 4;

  private static final long SHARE_OF_THIRD_CACHE = 8L << 20;

  public GemmTiles {
    if (wide < 1 || high < 1) {
      throw new IllegalArgumentException(
          "expected a tile of at least 1 by 1, found " + wide + " by " + high);
    }
    requireBlock("terms", depth, 1);
    requireBlock("cells along the lanes", wideBlock, wide);
    requireBlock("rows", highBlock, high);
  }

  private static void requireBlock(String what, long size, long step) {
    if (size < 1 || size > LARGEST_BLOCK || size % step != 0) {
      throw new IllegalArgumentException(
          "expected a block of 1 to 2^20 "
              + what
              + (step == 1 ? "" : " and a multiple of " + step)
              + ", found "
              + size);
    }
  }

  /**
   * The blocks for a CPU level and the caches of this machine.
   *
   * @param vectorBits of the registers: 128, 256 or 512
   * @param bytes of a value
   */
  public static GemmTiles of(int vectorBits, int bytes) {
    return of(vectorBits, bytes, LARGEST_BLOCK, LARGEST_BLOCK);
  }

  /**
   * The blocks that suit a contraction.
   *
   * @param run cells of the result that are neighbours
   * @param terms of a sum
   */
  public static GemmTiles of(int vectorBits, int bytes, long run, long terms) {
    long lanes = vectorBits / 8 / bytes;
    // Of 32 registers, 24 hold the tile and 2 to 4 a row of a panel; of 16, 12 and 1 or 2.
    long[][] tiles =
        vectorBits == 512 ? new long[][] {{3, 8}, {4, 6}, {2, 12}} : new long[][] {{2, 6}, {1, 12}};
    long[] tile = tiles[0];
    for (long[] other : tiles) {
      tile = time(run, other[0], lanes) < time(run, tile[0], lanes) * FEWER ? other : tile;
    }
    long wide = tile[0] * lanes;
    long high = tile[1];
    Caches caches = Caches.ofThisMachine();
    long room = down(caches.first() / 2 / (ROWS * bytes), 16);
    long most = room + room / 2;
    long blocks = Math.max(1, (terms + most - 1) / most);
    long depth = terms >= LARGEST_BLOCK ? room : Math.max(1, (terms + blocks - 1) / blocks);
    return new GemmTiles(
        wide,
        high,
        depth,
        block(caches.second() / 2 / (depth * bytes), wide),
        block(SHARE_OF_THIRD_CACHE / (depth * bytes), high));
  }

  /**
   * The same with blocks of the divided side that the first cache holds, if panels of {@code
   * shared} cells of the other side take no more than a quarter of the second. Each number of a
   * block is then used so few times that memory has to be read while tiles are computed: the lines
   * of the next block are asked for, and have to find room.
   *
   * @param dividesWide whether the divided side is the one along the lanes
   * @param shared cells of the other side
   */
  public GemmTiles streaming(boolean dividesWide, double shared, int bytes) {
    Caches caches = Caches.ofThisMachine();
    if (shared * depth * bytes > caches.second() / FEW) {
      return this;
    }
    long cells = caches.first() / (depth * bytes);
    return dividesWide
        ? new GemmTiles(wide, high, depth, block(cells, wide), highBlock)
        : new GemmTiles(wide, high, depth, wideBlock, block(cells, high));
  }

  /** Whether the second cache has room for a block of the divided side and for the next one. */
  public boolean isStreaming(boolean dividesWide, int bytes) {
    long block = dividesWide ? wideBlock : highBlock;
    return block * depth * bytes <= Caches.ofThisMachine().second() / FEW;
  }

  /**
   * The blocks for a tile that something else than the registers of this machine holds: panels of
   * both sides take half of the second cache, where a pass has room there, and blocks are as in
   * {@link #of}.
   *
   * @param wide cells of a tile along the result's neighbours
   * @param high rows of a tile
   * @param terms of one pass; a block has a multiple of them
   * @param bytes of a value
   */
  public static GemmTiles around(long wide, long high, long terms, int bytes) {
    long second = Caches.ofThisMachine().second() / 2;
    long depth = Math.max(terms, block(second / ((wide + high) * bytes), terms));
    return new GemmTiles(
        wide,
        high,
        depth,
        block(second / (depth * bytes), wide),
        block(SHARE_OF_THIRD_CACHE / (depth * bytes), high));
  }

  /** Time of the cells along the lanes that are computed for a run. */
  private static double time(long run, long vectors, long lanes) {
    long wide = vectors * lanes;
    return (run + wide - 1) / wide * wide * (vectors == 1 ? ONE_VECTOR : 1);
  }

  private static long block(long size, long step) {
    return down(Math.min(size, LARGEST_BLOCK), step);
  }

  private static long down(long size, long step) {
    return Math.max(1, size / step) * step;
  }

  @Override
  public String toString() {
    return wide + ":" + high + ":" + depth + ":" + wideBlock + ":" + highBlock;
  }
}
