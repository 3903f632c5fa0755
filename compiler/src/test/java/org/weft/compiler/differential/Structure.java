package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;

/** Which cells a format stores, level by level from the definition of the formats. */
final class Structure {
  private final TensorFormat format;
  private final List<Axis> axes;
  private final Set<List<Integer>> stored = cellSet();

  private Structure(TensorFormat format, List<Axis> axes) {
    this.format = format;
    this.axes = axes;
  }

  static int compare(List<Integer> a, List<Integer> b) {
    for (int i = 0; i < a.size(); i++) {
      int order = Integer.compare(a.get(i), b.get(i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  static Set<List<Integer>> cellSet() {
    return new TreeSet<>(Structure::compare);
  }

  /** The cells stored when {@code present} are: full levels add all their coordinates. */
  static Set<List<Integer>> of(
      TensorFormat format, List<Axis> axes, Collection<List<Integer>> present) {
    Structure structure = new Structure(format, axes);
    if (format.levelCount() > 0 && format.coordinate(0) instanceof LevelCoordinate.Diagonal) {
      structure.diagonals(present);
    } else {
      structure.descend(present, 0, new int[axes.size()]);
    }
    return structure.stored;
  }

  /** Every cell of a stored diagonal is stored. */
  private void diagonals(Collection<List<Integer>> present) {
    int row = format.modeOrder()[0];
    int column = format.modeOrder()[1];
    for (List<Integer> entry : present) {
      int offset = entry.get(column) - entry.get(row);
      for (int i = 0; i < axes.get(row).cells(); i++) {
        if (i + offset >= 0 && i + offset < axes.get(column).cells()) {
          Integer[] cell = new Integer[2];
          cell[row] = i;
          cell[column] = i + offset;
          stored.add(List.of(cell));
        }
      }
    }
  }

  private void descend(Collection<List<Integer>> present, int level, int[] cell) {
    if (level == format.levelCount()) {
      List<Integer> found = new ArrayList<>();
      for (int mode = 0; mode < cell.length; mode++) {
        if (cell[mode] >= axes.get(mode).cells()) {
          return;
        }
        found.add(cell[mode]);
      }
      stored.add(List.copyOf(found));
      return;
    }
    TreeMap<Integer, List<List<Integer>>> children = new TreeMap<>();
    boolean slots = format.coordinate(level) instanceof LevelCoordinate.Slot;
    if (!slots && format.level(level).properties().full()) {
      for (int c = 0; c < levelSize(level); c++) {
        children.put(c, new ArrayList<>());
      }
    }
    for (List<Integer> entry : present) {
      children.computeIfAbsent(coordinate(format, level, entry), c -> new ArrayList<>()).add(entry);
    }
    int mode = format.modeOf(level);
    children.forEach(
        (coordinate, below) -> {
          int[] next = cell.clone();
          if (format.coordinate(level) instanceof LevelCoordinate.Block block) {
            next[mode] = (int) (coordinate * block.size());
          } else if (format.coordinate(level) instanceof LevelCoordinate.Within) {
            next[mode] += coordinate;
          } else if (!slots) {
            next[mode] = coordinate;
          }
          descend(below, level + 1, next);
        });
  }

  private int levelSize(int level) {
    int cells = axes.get(format.modeOf(level)).cells();
    if (format.coordinate(level) instanceof LevelCoordinate.Block block) {
      return (int) ((cells + block.size() - 1) / block.size());
    } else if (format.coordinate(level) instanceof LevelCoordinate.Within within) {
      return (int) within.size();
    }
    return cells;
  }

  /** The coordinate that {@code level} stores of a cell; 0 for slots and diagonals. */
  static int coordinate(TensorFormat format, int level, List<Integer> cell) {
    LevelCoordinate stored = format.coordinate(level);
    if (stored.isCounted()) {
      return 0;
    }
    int coordinate = cell.get(format.modeOf(level));
    if (stored instanceof LevelCoordinate.Block block) {
      return (int) (coordinate / block.size());
    } else if (stored instanceof LevelCoordinate.Within within) {
      return (int) (coordinate % within.size());
    }
    return coordinate;
  }
}
