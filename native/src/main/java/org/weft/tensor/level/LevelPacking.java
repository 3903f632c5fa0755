package org.weft.tensor.level;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.tensor.Width;

/**
 * One level under construction. Entries are sorted; position {@code p} of the parent level owns the
 * entries {@code [start(p), start(p + 1))}. A level format reads the coordinates of this level,
 * writes its arrays, and calls {@link #child} once for each of its positions, in order, with the
 * first entry that the position owns.
 */
public final class LevelPacking {
  private final SortedEntries entries;
  private final int level;
  private final int parents;
  private final int[] parentStarts;
  private final long modeSize;
  private final Width posWidth;
  private final Width crdWidth;
  private final MemoryScope scope;
  private int[] childStarts = new int[0];
  private int children;
  private @Nullable NativeArray pos;
  private @Nullable NativeArray crd;

  public LevelPacking(
      SortedEntries entries,
      int level,
      int parents,
      int[] parentStarts,
      long modeSize,
      Width posWidth,
      Width crdWidth,
      MemoryScope scope) {
    this.entries = entries;
    this.level = level;
    this.parents = parents;
    this.parentStarts = parentStarts;
    this.modeSize = modeSize;
    this.posWidth = posWidth;
    this.crdWidth = crdWidth;
    this.scope = scope;
  }

  /** Number of positions of the parent level. */
  public int parents() {
    return parents;
  }

  /**
   * First entry of parent position {@code p}; {@code start(parents())} is the number of entries.
   */
  public int start(int p) {
    return parentStarts[p];
  }

  /** Coordinate of {@code entry} at this level. */
  public long coordinate(int entry) {
    return entries.coordinate(level, entry);
  }

  public long modeSize() {
    return modeSize;
  }

  /** Announces how many positions this level will have. */
  public void expectChildren(long count) {
    if (count > Integer.MAX_VALUE - 8) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          "level "
              + (level + 1)
              + " would have "
              + count
              + " positions; one partition holds at most 2^31. Use a sparse level format or more"
              + " partitions");
    }
    childStarts = new int[(int) count + 1];
    children = 0;
  }

  /** Adds the next position; it owns the entries from {@code firstEntry} to the next child's. */
  public void child(int firstEntry) {
    childStarts[children++] = firstEntry;
  }

  /** A pos array of {@code length} bounds, none above {@code largest}. */
  public NativeArray allocatePos(long length, long largest) {
    requireFits(posWidth, largest, "position");
    pos = scope.allocate(posWidth.elementType(), length);
    return pos;
  }

  /** A crd array of {@code length} coordinates below the mode size. */
  public NativeArray allocateCrd(long length) {
    requireFits(crdWidth, Math.max(0, modeSize - 1), "coordinate");
    crd = scope.allocateUninitialized(crdWidth.elementType(), length);
    return crd;
  }

  private void requireFits(Width width, long largest, String what) {
    if (largest > width.maximum()) {
      throw new WeftException(
          ErrorCode.WIDTH_OVERFLOW,
          "level "
              + (level + 1)
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

  public int children() {
    return children;
  }

  /** Entry bounds of the finished level: {@code children() + 1} numbers. */
  public int[] childStarts() {
    if (childStarts.length != children + 1) {
      childStarts = Arrays.copyOf(childStarts, children + 1);
    }
    childStarts[children] = parentStarts[parents];
    return childStarts;
  }

  public @Nullable NativeArray pos() {
    return pos;
  }

  public @Nullable NativeArray crd() {
    return crd;
  }
}
