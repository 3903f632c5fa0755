package org.weft.tensor.level;

/**
 * Entries in lexicographic level order, as packing sees them: one coordinate per level and entry.
 */
public interface SortedEntries {
  /** Coordinate of {@code entry} at {@code level}. */
  long coordinate(int level, int entry);
}
