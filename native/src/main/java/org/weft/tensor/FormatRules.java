package org.weft.tensor;

import java.util.List;

/** Which lists of levels and coordinates are formats. */
final class FormatRules {
  private FormatRules() {}

  /**
   * Checks that every mode is stored once, whole or as a block number above an offset, that only
   * the root counts slots or diagonals, and that range and offset levels stand below diagonals.
   *
   * @return the number of modes
   */
  static int check(List<LevelSpec> levels, List<LevelCoordinate> coordinates) {
    if (coordinates.size() != levels.size()) {
      throw new IllegalArgumentException(
          levels.size() + " levels store " + coordinates.size() + " coordinates");
    }
    int order = 0;
    for (LevelCoordinate coordinate : coordinates) {
      order = Math.max(order, coordinate.storedMode() + 1);
    }
    for (int mode = 0; mode < order; mode++) {
      checkMode(mode, coordinates);
    }
    for (int level = 0; level < levels.size(); level++) {
      checkLevel(level, levels, coordinates);
    }
    return order;
  }

  private static void checkMode(int mode, List<LevelCoordinate> coordinates) {
    List<LevelCoordinate> parts =
        coordinates.stream().filter(coordinate -> coordinate.storedMode() == mode).toList();
    boolean whole = parts.size() == 1 && parts.get(0) instanceof LevelCoordinate.Mode;
    boolean blocked =
        parts.size() == 2
            && parts.get(0) instanceof LevelCoordinate.Block block
            && parts.get(1) instanceof LevelCoordinate.Within within
            && block.size() == within.size();
    if (!whole && !blocked) {
      throw new IllegalArgumentException(
          "mode "
              + mode
              + " is stored as "
              + parts
              + "; store it in one level, or its block number and below that the offset in the"
              + " block");
    }
  }

  private static void checkLevel(
      int level, List<LevelSpec> levels, List<LevelCoordinate> coordinates) {
    String symbol = levels.get(level).format().symbol();
    LevelCoordinate coordinate = coordinates.get(level);
    if (coordinate.isCounted() && (level > 0 || !symbol.equals("D"))) {
      throw new IllegalArgumentException(
          "only a dense first level counts slots or diagonals, not level "
              + (level + 1)
              + " ("
              + levels.get(level)
              + ")");
    }
    boolean diagonals = level > 0 && coordinates.get(0) instanceof LevelCoordinate.Diagonal;
    boolean range = diagonals && level == 1 && coordinate.storedMode() == 0;
    boolean offset = diagonals && level == 2 && coordinate.storedMode() == 1;
    if (symbol.equals("R") != range || symbol.equals("O") != offset) {
      throw new IllegalArgumentException(
          "a range level stores the rows and an offset level the columns of diagonals, as in"
              + " {D:diagonal, R:0, O:1}; level "
              + (level + 1)
              + " is "
              + levels.get(level));
    }
    if (coordinate instanceof LevelCoordinate.Slot
        && (levels.size() < 2
            || !coordinates.get(1).equals(new LevelCoordinate.Mode(0))
            || !levels.get(1).properties().full())) {
      throw new IllegalArgumentException(
          "slots number the entries of each row, so the level below them stores all rows, as in"
              + " {D:slot, D:0, S?c:1}");
    }
    if (coordinate instanceof LevelCoordinate.Diagonal && levels.size() < 3) {
      throw new IllegalArgumentException(
          "below diagonals stand the rows and the columns, as in {D:diagonal, R:0, O:1}");
    }
  }
}
