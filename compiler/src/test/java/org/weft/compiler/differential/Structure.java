package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.memory.NativeArray;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * What a format stores for given cells, and whether the arrays of a storage are what its format
 * says: written against the definition of the formats, level by level.
 */
final class Structure {
  private Structure() {}

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
    Set<List<Integer>> stored = cellSet();
    descend(format, axes, present, 0, new Integer[axes.size()], stored);
    return stored;
  }

  private static void descend(
      TensorFormat format,
      List<Axis> axes,
      Collection<List<Integer>> present,
      int level,
      Integer[] cell,
      Set<List<Integer>> stored) {
    if (level == format.order()) {
      stored.add(List.of(cell));
      return;
    }
    int mode = format.modeOf(level);
    TreeMap<Integer, List<List<Integer>>> children = new TreeMap<>();
    if (format.level(level).properties().full()) {
      for (int c = 0; c < axes.get(mode).cells(); c++) {
        children.put(c, new ArrayList<>());
      }
    }
    for (List<Integer> entry : present) {
      children.computeIfAbsent(entry.get(mode), c -> new ArrayList<>()).add(entry);
    }
    children.forEach(
        (coordinate, below) -> {
          cell[mode] = coordinate;
          descend(format, axes, below, level + 1, cell, stored);
        });
  }

  /** Explains the first violation of the format's invariants in {@code storage}, or "". */
  static String violation(TensorStorage storage) {
    long parents = 1;
    TensorFormat format = storage.format();
    for (int level = 0; level < format.order(); level++) {
      long positions = storage.positions(level);
      String problem = level(storage, level, parents, positions);
      if (!problem.isEmpty()) {
        return "level " + (level + 1) + " of " + storage + ": " + problem;
      }
      parents = positions;
    }
    return storage.vals().length() == parents
        ? ""
        : storage.vals().length() + " values for " + parents + " positions of " + storage;
  }

  private static String level(TensorStorage storage, int level, long parents, long positions) {
    long size = storage.shape().size(storage.format().modeOf(level));
    LevelSpec spec = storage.format().level(level);
    String symbol = spec.format().symbol();
    long expected =
        switch (symbol) {
          case "D" -> parents * size;
          case "S" -> parents;
          default -> positions;
        };
    if (positions != expected) {
      return positions + " positions, expected " + expected;
    }
    String pos = storage.hasPos(level) ? pos(storage.pos(level), parents, positions) : "";
    return pos.isEmpty() && storage.hasCrd(level)
        ? crd(storage, level, parents, positions, size)
        : pos;
  }

  private static String pos(NativeArray pos, long parents, long positions) {
    if (pos.length() != parents + 1) {
      return "pos has " + pos.length() + " bounds, expected " + (parents + 1);
    }
    if (pos.getLong(0) != 0 || pos.getLong(parents) != positions) {
      return "pos runs from " + pos.getLong(0) + " to " + pos.getLong(parents);
    }
    for (long p = 0; p < parents; p++) {
      if (pos.getLong(p) > pos.getLong(p + 1)) {
        return "pos decreases at " + p;
      }
    }
    return "";
  }

  private static String crd(
      TensorStorage storage, int level, long parents, long positions, long size) {
    NativeArray crd = storage.crd(level);
    if (crd.length() != positions) {
      return "crd has " + crd.length() + " coordinates, expected " + positions;
    }
    for (long q = 0; q < positions; q++) {
      if (crd.getLong(q) < 0 || crd.getLong(q) >= size) {
        return "coordinate " + crd.getLong(q) + " at " + q + " of a mode of size " + size;
      }
    }
    LevelSpec spec = storage.format().level(level);
    if (!storage.hasPos(level) || !spec.properties().ordered()) {
      return "";
    }
    for (long p = 0; p < parents; p++) {
      long end = storage.pos(level).getLong(p + 1);
      for (long q = storage.pos(level).getLong(p) + 1; q < end; q++) {
        long step = crd.getLong(q) - crd.getLong(q - 1);
        if (step < 0 || step == 0 && spec.properties().unique()) {
          return "coordinate " + crd.getLong(q) + " after " + crd.getLong(q - 1) + " at " + q;
        }
      }
    }
    return "";
  }
}
