package org.weft.engine.order;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.OriginBlock;
import org.weft.engine.entries.Shared;
import org.weft.planner.JobPlan;
import org.weft.planner.ModePlan;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.tensor.CooBlock;

/**
 * Decides which tile of a layer owns which row. If only one tile has entries of a row, this tile
 * owns the row, and no other tile gets it. A row of several tiles goes to the one of these tiles
 * that has the fewest shared rows so far. Rows get new numbers within their layer, so that the rows
 * of a tile follow one another.
 *
 * @param relabelling to the new numbers
 * @param partitionings of the plan's passes, which say where the rows of a tile begin
 */
public record RowOwners(Relabelling relabelling, List<ModePartitioning> partitionings) {
  /** Most pairs of a slice and a tile of its layer that are looked at: bits in each process. */
  private static final long MOST_PAIRS = 1L << 29;

  /** Most slices of all modes: the driver holds a new number, 4 bytes, for each. */
  private static final long MOST_ROWS = 1L << 23;

  /**
   * The owners for a plan on tiles; none for other plans, and where there are too many slices or
   * pairs: tiles of a layer then have rows in contiguous ranges.
   *
   * @param entries asked for only where there are tiles: a tensor that is packed has none at hand
   * @param parsed from the coordinates of the entries to those of the plan, if they differ
   */
  public static Optional<RowOwners> of(
      JobPlan plan, Supplier<EntryBlocks> entries, @Nullable Shared<Relabelling> parsed) {
    List<ModePartitioning> cuts = plan.modes().stream().map(ModePlan::partitioning).toList();
    double pairs = cuts.stream().mapToDouble(cut -> (double) cut.modeSize() * pieces(cut)).sum();
    long rows = cuts.stream().mapToLong(ModePartitioning::modeSize).sum();
    boolean tiles = cuts.get(0).grid() != null && plan.statistics().entries() > 0;
    if (!tiles || pairs > MOST_PAIRS || rows > MOST_ROWS) {
      return Optional.empty();
    }
    return Optional.of(of(cuts, entries.get().reduce(new Count(cuts, parsed), Touched::or)));
  }

  /** The tiles with entries of each slice, of partitionings along all modes of one grid. */
  private record Count(ArrayList<ModePartitioning> cuts, @Nullable Shared<Relabelling> parsed)
      implements EntryBlocks.Step<Touched> {
    Count(List<ModePartitioning> cuts, @Nullable Shared<Relabelling> parsed) {
      this(new ArrayList<>(cuts), parsed);
    }

    @Override
    public Iterator<Touched> run(Iterator<OriginBlock> blocks) {
      Touched touched = new Touched(cuts.size());
      while (blocks.hasNext()) {
        CooBlock block = blocks.next().block();
        touched.add(cuts, parsed == null ? block : parsed.value().apply(block));
      }
      return List.of(touched).iterator();
    }
  }

  /** By mode: bit {@code slice * pieces + piece} says that a piece of the range has entries. */
  public static final class Touched implements Serializable {
    private static final long serialVersionUID = 1L;

    private final BitSet[] byMode;

    Touched(int order) {
      byMode = new BitSet[order];
      Arrays.setAll(byMode, mode -> new BitSet());
    }

    void add(List<ModePartitioning> cuts, CooBlock block) {
      int[] partitions = new int[block.size()];
      for (ModePartitioning cut : cuts) {
        cut.partitionsOf(block, partitions);
        int pieces = pieces(cut);
        for (int e = 0; e < partitions.length; e++) {
          int slice = (int) block.coordinate(cut.mode(), e);
          byMode[cut.mode()].set(slice * pieces + partitions[e] % pieces);
        }
      }
    }

    Touched or(Touched other) {
      for (int mode = 0; mode < byMode.length; mode++) {
        byMode[mode].or(other.byMode[mode]);
      }
      return this;
    }
  }

  /** Pieces of every range of tiles. */
  private static int pieces(ModePartitioning cut) {
    return cut.ranges().get(0).pieces();
  }

  private static RowOwners of(List<ModePartitioning> cuts, Touched touched) {
    List<Permutation> permutations = new ArrayList<>();
    List<ModePartitioning> owning = new ArrayList<>();
    for (ModePartitioning cut : cuts) {
      int[] labels = new int[Math.toIntExact(cut.modeSize())];
      long[] firstRows = new long[cut.partitions()];
      for (int p = 0; p < firstRows.length; p += pieces(cut)) {
        number(cut, p, touched.byMode[cut.mode()], labels, firstRows);
      }
      permutations.add(Permutation.of(labels));
      owning.add(cut.withFirstRows(firstRows));
    }
    return new RowOwners(new Relabelling(permutations), owning);
  }

  /** Numbers the rows of the layer whose first tile is a partition. */
  private static void number(
      ModePartitioning cut, int partition, BitSet touched, int[] labels, long[] firstRows) {
    SliceRange layer = cut.ranges().get(partition);
    int pieces = layer.pieces();
    int from = (int) layer.from();
    int[] owners = owners(touched, from, (int) layer.to(), pieces);
    int[] next = new int[pieces];
    for (int owner : owners) {
      next[owner]++;
    }
    int row = from;
    for (int piece = 0; piece < pieces; piece++) {
      int count = next[piece];
      firstRows[partition + piece] = row;
      next[piece] = row;
      row += count;
    }
    for (int slice = 0; slice < owners.length; slice++) {
      labels[from + slice] = next[owners[slice]]++;
    }
  }

  /** The piece that has each of the rows; rows of empty slices are spread evenly. */
  private static int[] owners(BitSet touched, int from, int to, int pieces) {
    int[] owners = new int[to - from];
    long[] shared = new long[pieces];
    for (int slice = from; slice < to; slice++) {
      int first = slice * pieces;
      int owner = slice % pieces;
      int tiles = 0;
      for (int at = touched.nextSetBit(first);
          at >= 0 && at < first + pieces;
          at = touched.nextSetBit(at + 1)) {
        owner = tiles == 0 || shared[at - first] < shared[owner] ? at - first : owner;
        tiles++;
      }
      shared[owner] += tiles > 1 ? 1 : 0;
      owners[slice - from] = owner;
    }
    return owners;
  }
}
