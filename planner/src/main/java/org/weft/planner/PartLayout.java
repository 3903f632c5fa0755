package org.weft.planner;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;

/**
 * Which slices of one mode the parts of a file have entries of. Where parts are ordered by that
 * mode, a partition along it is read from its own parts, and no entry goes to another task.
 *
 * @param mode the mode
 * @param parts in the order of the file
 */
public record PartLayout(int mode, List<Part> parts) implements Serializable {
  /** Share of the entries that may be read more than once: those of parts that partitions share. */
  private static final double READ_AGAIN = 0.25;

  public PartLayout {
    parts = new ArrayList<>(parts);
  }

  /**
   * @param first the first slice
   * @param last the last slice
   * @param entries stored entries
   */
  public record Part(long first, long last, long entries) implements Serializable {
    private boolean meets(SliceRange range) {
      return first < range.to() && range.from() <= last;
    }
  }

  /**
   * For each partition of {@code cut} the numbers of the parts that may have entries of it; none if
   * more than a quarter of the tensor would be read again. Cost: {@code O(partitions x parts)}.
   */
  public List<List<Integer>> partsOf(ModePartitioning cut) {
    boolean one = cut.partitions() == 1;
    if (parts.isEmpty() || !one && cut.mode() != mode) {
      return List.of();
    }
    long most = Math.round((1 + READ_AGAIN) * parts.stream().mapToLong(Part::entries).sum());
    long read = 0;
    List<List<Integer>> found = new ArrayList<>();
    for (SliceRange range : cut.ranges()) {
      List<Integer> own = new ArrayList<>();
      for (int p = 0; p < parts.size() && read <= most; p++) {
        if (one || parts.get(p).meets(range)) {
          own.add(p);
          read += parts.get(p).entries();
        }
      }
      found.add(own);
    }
    return read <= most ? found : List.of();
  }
}
