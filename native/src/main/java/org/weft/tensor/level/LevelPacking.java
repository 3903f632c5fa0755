package org.weft.tensor.level;

import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.tensor.TensorShape;
import org.weft.tensor.Width;

/**
 * One level under construction. Entries are sorted; position {@code p} of the parent level owns the
 * entries {@code [start(p), end(p))}. A level format reads the coordinates of this level, writes
 * its arrays, and says which entries each of its positions owns.
 */
public final class LevelPacking {

  /**
   * What is known of the level.
   *
   * @param number the level, counted from 0
   * @param size number of coordinates
   * @param sizeBelow number of coordinates of the next level, or 0
   * @param branchlessBelow levels right below that share the positions of this one
   */
  public record Target(
      int number,
      long size,
      long sizeBelow,
      int branchlessBelow,
      LevelFormat format,
      LevelProperties properties,
      Width posWidth,
      Width crdWidth) {

    /**
     * Checks that the width of {@code pos} holds bounds up to {@code largest}.
     *
     * @throws WeftException {@code WIDTH_OVERFLOW}
     */
    public void requirePos(long largest) {
      requireFits(posWidth, largest, "position");
    }

    /**
     * Checks that the width of {@code crd} holds the coordinates of the level.
     *
     * @throws WeftException {@code WIDTH_OVERFLOW}
     */
    public void requireCrd() {
      requireFits(crdWidth, format.largestCrd(size, sizeBelow, properties), "coordinate");
    }

    private void requireFits(Width width, long largest, String what) {
      if (largest > width.maximum()) {
        throw new WeftException(
            ErrorCode.WIDTH_OVERFLOW,
            "level "
                + (number + 1)
                + " stores a "
                + what
                + " of "
                + largest
                + " but its "
                + what
                + " width is "
                + width.bits()
                + " bits; choose a wider one");
      }
    }

    /**
     * The positions of a level that has {@code perParent} under each of {@code parents}.
     *
     * @throws WeftException {@code OUT_OF_MEMORY} if a partition does not hold so many
     */
    public long positions(long parents, long perParent) {
      return requirePositions(TensorShape.positions(parents, perParent));
    }

    private long requirePositions(long count) {
      if (count > Integer.MAX_VALUE - 8) {
        throw new WeftException(
            ErrorCode.OUT_OF_MEMORY,
            "level "
                + (number + 1)
                + " would have "
                + count
                + " positions; one partition holds at most 2^31. Use a sparse level format or more"
                + " partitions");
      }
      return count;
    }
  }

  /**
   * The entries of every position of a level.
   *
   * @param starts first entry of each position, and one number more; null when each has one entry
   * @param ends one past the last entry of each position; null when the next one starts there
   * @param runs whether entries share a position exactly if they agree down to this level
   */
  public record Segments(int @Nullable [] starts, int @Nullable [] ends, int count, boolean runs) {
    /** Segments of which nothing more is known. */
    public Segments(int[] starts, int @Nullable [] ends, int count) {
      this(starts, ends, count, false);
    }

    /** The one segment above the root. */
    public static Segments root(int entries) {
      return new Segments(new int[] {0, entries}, null, 1, true);
    }

    /** First entry of {@code position}. */
    public int start(int position) {
      return starts == null ? position : starts[position];
    }

    /** One past the last entry of {@code position}. */
    public int end(int position) {
      if (starts == null) {
        return position + 1;
      }
      return ends == null ? starts[position + 1] : ends[position];
    }

    /** Whether every position has one entry, with its number. */
    public boolean isEachEntry() {
      return starts == null;
    }
  }

  private final SortedEntries entries;
  private final Target target;
  private final Segments parents;
  private final MemoryScope scope;
  private int @Nullable [] runStarts;
  private boolean divided;
  private int[] childStarts = new int[1];
  private int @Nullable [] childEnds;
  private int children;
  private @Nullable NativeArray pos;
  private @Nullable NativeArray crd;

  public LevelPacking(SortedEntries entries, Target target, Segments parents, MemoryScope scope) {
    this.entries = entries;
    this.target = target;
    this.parents = parents;
    this.scope = scope;
  }

  /** Number of positions of the parent level. */
  public int parents() {
    return parents.count();
  }

  /** First entry of parent position {@code p}. */
  public int start(int p) {
    return parents.start(p);
  }

  /** One past the last entry of parent position {@code p}. */
  public int end(int p) {
    return parents.end(p);
  }

  /** Coordinate of {@code entry} at this level. */
  public long coordinate(int entry) {
    return entries.coordinate(target.number(), entry);
  }

  /** Coordinate of {@code entry} at the level below. */
  public long coordinateBelow(int entry) {
    return entries.coordinate(target.number() + 1, entry);
  }

  /** Whether two entries agree at this level and at the branchless levels below it. */
  public boolean samePath(int a, int b) {
    for (int below = 0; below <= target.branchlessBelow(); below++) {
      int level = target.number() + below;
      if (entries.coordinate(level, a) != entries.coordinate(level, b)) {
        return false;
      }
    }
    return true;
  }

  public long modeSize() {
    return target.size();
  }

  /** The properties of this level, which may be fewer than its format's. */
  public LevelProperties properties() {
    return target.properties();
  }

  /**
   * Gives every different coordinate under a parent a position of its own, if that can be told
   * without a look at the parents; {@link #fillPos} and {@link #fillCrd} then take the place of
   * {@link #child}. Returns false, with nothing done, if it cannot.
   */
  public boolean divide() {
    if (!parents.runs() || parents.ends() != null || !target.properties().unique()) {
      return false;
    }
    int count = parents.count() == 0 ? 0 : parents.end(parents.count() - 1);
    runStarts = entries.runs(target.number(), count);
    children = runStarts == null ? count : runStarts.length - 1;
    divided = true;
    return true;
  }

  /** Stores how many positions of this level the parents up to each one have. */
  public void fillPos(NativeArray bounds) {
    boolean narrow = bounds.type() == ElementType.U32;
    int child = 0;
    bounds.setLong(0, 0);
    for (int p = 0; p < parents.count(); p++) {
      int end = parents.end(p);
      if (runStarts == null) {
        child = end;
      } else {
        while (runStarts[child] < end) {
          child++;
        }
      }
      if (narrow) {
        NativeMemory.putInt(bounds.address() + (p + 1L) * Integer.BYTES, child);
      } else {
        bounds.setLong(p + 1L, child);
      }
    }
  }

  /** Stores the coordinate of every position of this level. */
  public void fillCrd(NativeArray coordinates) {
    entries.coordinates(target.number(), runStarts, children, coordinates);
  }

  /** Announces {@code perParent} positions under each of {@code count} parents. */
  public void expectChildren(long count, long perParent) {
    expectChildren(target.positions(count, perParent));
  }

  /** Announces how many positions this level will have. */
  public void expectChildren(long count) {
    target.requirePositions(count);
    childStarts = new int[(int) count + 1];
    childEnds = null;
    children = 0;
  }

  /** Adds the next position, which owns entries {@code [first, end)}. */
  public void child(int first, int end) {
    boolean follows = children == 0 || childStarts[children] == first;
    if (childEnds == null && follows) {
      childStarts[children++] = first;
      childStarts[children] = end;
    } else {
      childAt(children, first, end);
    }
  }

  /**
   * Gives entries {@code [first, end)} to {@code position}. Positions below the highest one given
   * that are left out own nothing.
   */
  public void childAt(int position, int first, int end) {
    int[] ends = ownEnds();
    childStarts[position] = first;
    ends[position] = end;
    children = Math.max(children, position + 1);
  }

  /** The ends apart from the starts, from the first position that leaves a gap. */
  private int[] ownEnds() {
    int[] ends = childEnds;
    if (ends == null) {
      ends = new int[childStarts.length - 1];
      System.arraycopy(childStarts, 1, ends, 0, children);
      childStarts[children] = 0;
      childEnds = ends;
    }
    return ends;
  }

  /** All announced positions exist; those not given own nothing. */
  public void completeChildren() {
    ownEnds();
    children = childStarts.length - 1;
  }

  /** A pos array of {@code length} bounds, none above {@code largest}. */
  public NativeArray allocatePos(long length, long largest) {
    target.requirePos(largest);
    pos = scope.allocate(target.posWidth().elementType(), length);
    return pos;
  }

  /**
   * A crd array of {@code length} elements, which hold the coordinates of this level. The elements
   * are undefined.
   */
  public NativeArray allocateCrd(long length) {
    target.requireCrd();
    crd = scope.allocateUninitialized(target.crdWidth().elementType(), length);
    return crd;
  }

  /** The number in {@code crd} that marks a position without a coordinate. */
  public long unlabelled() {
    return target.crdWidth().maximum();
  }

  public int children() {
    return children;
  }

  /** What the positions of the finished level own. */
  public Segments segments() {
    if (divided) {
      return new Segments(runStarts, null, children, true);
    }
    boolean runs = parents.runs() && target.properties().unique() && childEnds == null;
    return new Segments(childStarts, childEnds, children, runs);
  }

  public @Nullable NativeArray pos() {
    return pos;
  }

  public @Nullable NativeArray crd() {
    return crd;
  }
}
