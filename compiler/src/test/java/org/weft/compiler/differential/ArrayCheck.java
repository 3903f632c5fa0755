package org.weft.compiler.differential;

import org.weft.memory.NativeArray;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorStorage;

/**
 * Whether the arrays of a storage are what its format says: lengths, bounds, order, uniqueness.
 * Written against the definition of the level formats, not with their descriptors.
 */
public final class ArrayCheck {
  private final TensorStorage storage;

  private ArrayCheck(TensorStorage storage) {
    this.storage = storage;
  }

  /** Explains the first violation of the format's invariants in {@code storage}, or "". */
  public static String violation(TensorStorage storage) {
    long parents = 1;
    for (int level = 0; level < storage.format().levelCount(); level++) {
      long positions = storage.positions(level);
      String problem = new ArrayCheck(storage).level(level, parents, positions);
      if (!problem.isEmpty()) {
        return "level " + (level + 1) + " of " + storage + ": " + problem;
      }
      parents = positions;
    }
    return storage.vals().length() == parents
        ? ""
        : storage.vals().length() + " values for " + parents + " positions of " + storage;
  }

  private String level(int level, long parents, long positions) {
    LevelSpec spec = storage.format().level(level);
    boolean counted = storage.format().coordinate(level).isCounted();
    long size = counted ? positions : storage.format().levelSize(storage.shape(), level);
    String symbol = spec.format().symbol();
    long expected =
        switch (symbol) {
          case "D", "R", "B" -> parents * size;
          case "S", "O" -> parents;
          case "H" -> parents * storage.pos(level).getLong(0);
          default -> positions;
        };
    if (positions != expected) {
      return positions + " positions, expected " + expected;
    }
    return switch (symbol) {
      case "CU", "CN" -> {
        String pos = pos(storage.pos(level), parents, positions);
        yield pos.isEmpty() ? segments(level, parents, size) : pos;
      }
      case "S" -> coordinates(level, size, !spec.properties().compact());
      case "H" -> buckets(level, parents, size);
      case "B" -> coordinates(level, 2, false);
      default -> "";
    };
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

  private String coordinates(int level, long size, boolean gaps) {
    NativeArray crd = storage.crd(level);
    long free = storage.format().level(level).crdWidth().maximum();
    if (crd.length() != storage.positions(level)) {
      return "crd has " + crd.length() + " coordinates for " + storage.positions(level);
    }
    for (long q = 0; q < crd.length(); q++) {
      long c = crd.getLong(q);
      if ((c < 0 || c >= size) && !(gaps && c == free)) {
        return "coordinate " + c + " at " + q + " of a level of size " + size;
      }
    }
    return "";
  }

  private String segments(int level, long parents, long size) {
    String outside = coordinates(level, size, false);
    LevelSpec spec = storage.format().level(level);
    if (!outside.isEmpty() || !spec.properties().ordered()) {
      return outside;
    }
    NativeArray crd = storage.crd(level);
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

  /** Every coordinate is found from its own bucket on, and each table has a free bucket. */
  private String buckets(int level, long parents, long size) {
    long width = storage.pos(level).getLong(0);
    if (Long.bitCount(width) != 1) {
      return "a table of " + width + " buckets";
    }
    String outside = coordinates(level, size, true);
    if (!outside.isEmpty()) {
      return outside;
    }
    NativeArray crd = storage.crd(level);
    long free = storage.format().level(level).crdWidth().maximum();
    for (long p = 0; p < parents; p++) {
      boolean hasFree = false;
      for (long b = 0; b < width; b++) {
        long c = crd.getLong(p * width + b);
        hasFree |= c == free;
        for (long probe = c % width; c != free && probe != b; probe = (probe + 1) % width) {
          long other = crd.getLong(p * width + probe);
          if (other == free || other == c) {
            return "coordinate " + c + " of table " + p + " is not found or twice there";
          }
        }
      }
      if (!hasFree) {
        return "table " + p + " is full";
      }
    }
    return "";
  }
}
