package org.weft.spark.table;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.weft.tensor.CooBlock;

/**
 * A condition on 0-based coordinates that entries must meet, and that parts can be known to miss.
 */
sealed interface CoordinateFilter extends Serializable {
  /** Least and largest coordinates of some entries, by mode. */
  interface Ranges {
    long first(int mode);

    long last(int mode);
  }

  /** Whether an entry within {@code ranges} can pass. */
  boolean mayPass(Ranges ranges);

  boolean passes(CooBlock block, int entry);

  /** The entries of {@code block} that pass, ascending. Cost {@code O(size)}. */
  default int[] select(CooBlock block) {
    int[] selected = new int[block.size()];
    int count = 0;
    for (int e = 0; e < block.size(); e++) {
      if (passes(block, e)) {
        selected[count++] = e;
      }
    }
    return count == selected.length ? selected : Arrays.copyOf(selected, count);
  }

  /** Coordinates from {@code first} to {@code last}, both included; none if that is empty. */
  record Between(int mode, long first, long last) implements CoordinateFilter {
    @Override
    public boolean mayPass(Ranges ranges) {
      return first <= last && first <= ranges.last(mode) && last >= ranges.first(mode);
    }

    @Override
    public boolean passes(CooBlock block, int entry) {
      long coordinate = block.coordinate(mode, entry);
      return coordinate >= first && coordinate <= last;
    }
  }

  /**
   * One of several coordinates.
   *
   * @param sorted ascending; not to be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // compared with nothing
  record OneOf(int mode, long[] sorted) implements CoordinateFilter {
    public OneOf {
      sorted = sorted.clone();
      Arrays.sort(sorted);
    }

    @Override
    public boolean mayPass(Ranges ranges) {
      int at = Arrays.binarySearch(sorted, ranges.first(mode));
      int next = at >= 0 ? at : -at - 1;
      return next < sorted.length && sorted[next] <= ranges.last(mode);
    }

    @Override
    public boolean passes(CooBlock block, int entry) {
      return Arrays.binarySearch(sorted, block.coordinate(mode, entry)) >= 0;
    }
  }

  /** All of them; without any, everything passes. */
  record All(List<CoordinateFilter> filters) implements CoordinateFilter {
    @Override
    public boolean mayPass(Ranges ranges) {
      return filters.stream().allMatch(f -> f.mayPass(ranges));
    }

    @Override
    public boolean passes(CooBlock block, int entry) {
      for (CoordinateFilter filter : filters) {
        if (!filter.passes(block, entry)) {
          return false;
        }
      }
      return true;
    }
  }

  /** One of them at least; without any, nothing passes. */
  record Any(List<CoordinateFilter> filters) implements CoordinateFilter {
    @Override
    public boolean mayPass(Ranges ranges) {
      return filters.stream().anyMatch(f -> f.mayPass(ranges));
    }

    @Override
    public boolean passes(CooBlock block, int entry) {
      for (CoordinateFilter filter : filters) {
        if (filter.passes(block, entry)) {
          return true;
        }
      }
      return false;
    }
  }
}
