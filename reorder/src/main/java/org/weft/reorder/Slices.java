package org.weft.reorder;

/** The entries of each slice of one mode. Memory: 4 bytes per entry and coordinate. */
final class Slices {
  private final int[] start;
  private final int[] entries;

  Slices(EntryTable table, int mode) {
    entries = table.sortedBy(mode);
    start = new int[table.modeSize(mode) + 1];
    for (int coordinate : table.column(mode)) {
      start[coordinate + 1]++;
    }
    for (int c = 1; c < start.length; c++) {
      start[c] += start[c - 1];
    }
  }

  /** One index for each mode. */
  static Slices[] ofEveryMode(EntryTable table) {
    Slices[] slices = new Slices[table.order()];
    for (int m = 0; m < slices.length; m++) {
      slices[m] = new Slices(table, m);
    }
    return slices;
  }

  /** Number of entries of the slice. */
  int degree(int coordinate) {
    return start[coordinate + 1] - start[coordinate];
  }

  /** Where the slice's entries begin in {@link #entry}. */
  int begin(int coordinate) {
    return start[coordinate];
  }

  int end(int coordinate) {
    return start[coordinate + 1];
  }

  /** The entry number at a place between {@link #begin} and {@link #end}. */
  int entry(int at) {
    return entries[at];
  }
}
