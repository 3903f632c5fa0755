package org.weft.engine.entries;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.planner.partition.ModePartitioning;
import org.weft.tensor.CooBlock;

/** Cuts blocks of entries along the partitions of a mode. */
public final class EntryCuts {
  private EntryCuts() {}

  /** The entries of one partition, in the order of the block that they come from. */
  public record Cut(int partition, CooBlock entries) {}

  /**
   * The entries of {@code block} by partition, partitions ascending, empty ones left out. Memory: a
   * copy of the block; cost {@code O(entries x order)}.
   */
  public static List<Cut> of(ModePartitioning partitioning, CooBlock block) {
    if (partitioning.partitions() == 1) {
      return block.size() == 0 ? List.of() : List.of(new Cut(0, block));
    }
    int[] partitionOf = new int[block.size()];
    partitioning.partitionsOf(block, partitionOf);
    int[] ends = new int[partitioning.partitions() + 1];
    for (int partition : partitionOf) {
      ends[partition + 1]++;
    }
    for (int p = 0; p < partitioning.partitions(); p++) {
      ends[p + 1] += ends[p];
    }
    if (block.size() > 0 && ends[partitionOf[0] + 1] - ends[partitionOf[0]] == block.size()) {
      return List.of(new Cut(partitionOf[0], block));
    }
    int[] order = new int[partitionOf.length];
    int[] at = ends.clone();
    for (int e = 0; e < partitionOf.length; e++) {
      order[at[partitionOf[e]]++] = e;
    }
    List<Cut> cuts = new ArrayList<>();
    for (int p = 0; p < partitioning.partitions(); p++) {
      if (ends[p + 1] > ends[p]) {
        cuts.add(new Cut(p, block.select(Arrays.copyOfRange(order, ends[p], ends[p + 1]))));
      }
    }
    return cuts;
  }
}
