package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.level.LevelCapability;

/**
 * How the levels of a result are assembled in order.
 *
 * <p>Levels fall into <em>groups</em>: an append level that owns edges, and the branchless levels
 * below it, which share its positions ({@code CN, S, S} is one group). Levels with random access
 * stand between groups or at the ends. A group's coordinates are all stored at its last level, once
 * something below has been stored. Each group has a register with the next free position.
 */
final class AppendPlan {
  /** Levels {@code first..last} of the result, which share positions. */
  record Group(int first, int last, LoopVariable position, boolean counted) {}

  private final TensorExpr.Access access;
  private final TensorLayout layout;
  private final List<Group> groups = new ArrayList<>();

  AppendPlan(TensorExpr.Access access, TensorLayout layout, Code head) {
    this.access = access;
    this.layout = layout;
    int level = 0;
    while (level < layout.order()) {
      int last = level;
      if (!layout.level(level).random()) {
        requireAppendable(level);
        while (last + 1 < layout.order() && layout.level(last + 1).branchless()) {
          last++;
        }
        boolean counted = level > 0 && layout.level(level - 1).random();
        LoopVariable position =
            head.declare("p" + layout.level(level).name() + "_next", Expr.of(0));
        groups.add(new Group(level, last, position, counted));
      }
      level = last + 1;
    }
  }

  private void requireAppendable(int number) {
    Level level = layout.level(number);
    if (!level.can(LevelCapability.APPEND) || level.branchless()) {
      throw new WeftException(
          ErrorCode.CONVERSION_REQUIRED,
          "the result "
              + access
              + " cannot be assembled: level "
              + (number + 1)
              + " ("
              + level.spec()
              + ") "
              + (level.branchless()
                  ? "holds one coordinate per parent and has no compressed level above it"
                  : "supports neither insert nor append")
              + "; use a dense, compressed or COO result format");
    }
  }

  TensorExpr.Access access() {
    return access;
  }

  TensorLayout layout() {
    return layout;
  }

  /** Whether the result is a list of entries in no order: coordinates alone, declared unordered. */
  boolean isList() {
    return groups.size() == 1
        && groups.get(0).first() == 0
        && groups.get(0).last() == layout.order() - 1
        && layout.levels().stream().noneMatch(Level::ordered);
  }

  /** The group that {@code level} belongs to, or null for a random-access level. */
  @Nullable Group groupOf(int level) {
    for (Group group : groups) {
      if (group.first() <= level && level <= group.last()) {
        return group;
      }
    }
    return null;
  }

  /** The first group below {@code level}, or null. */
  @Nullable Group groupBelow(int level) {
    for (Group group : groups) {
      if (group.first() > level) {
        return group;
      }
    }
    return null;
  }

  /** The last level that is appended; random-access levels below it form a block of values. */
  int lastAppended() {
    return groups.get(groups.size() - 1).last();
  }

  /** Positions of level {@code to - 1} for each position of level {@code from - 1}. */
  Expr blockSize(int from, int to) {
    Expr size = Expr.of(1);
    for (int level = from; level < to; level++) {
      size = layout.level(level).emitter().size(layout.level(level), size);
    }
    return size;
  }

  /** Valid arrays before the first append. */
  void init(Code code) {
    for (Group group : groups) {
      Level level = layout.level(group.first());
      boolean first = group.equals(groups.get(0));
      Expr parents = first ? blockSize(0, group.first()) : Expr.of(0);
      level.emitter().appendInit(level, parents, code);
      for (int number = group.first() + 1; number <= group.last(); number++) {
        code.add(new Stmt.Grow(requireCrd(layout.level(number)), Expr.of(1)));
      }
    }
    code.add(new Stmt.Grow(layout.vals(), Expr.of(1)));
  }

  private static Buffer requireCrd(Level level) {
    if (level.crd() == null) {
      throw new IllegalStateException("level " + level.name() + " has no coordinates to append");
    }
    return level.crd();
  }

  /** Completes the levels and reports their numbers of positions. */
  void finish(Code code) {
    Expr positions = Expr.of(1);
    for (int number = 0; number < layout.order(); number++) {
      Level level = layout.level(number);
      Group group = groupOf(number);
      if (group == null) {
        positions =
            code.name("p" + level.name() + "_count", level.emitter().size(level, positions));
      } else {
        if (number == group.first()) {
          Expr next = Expr.of(group.position());
          level.emitter().appendFinalize(level, positions, next, group.counted(), code);
        }
        positions = Expr.of(group.position());
      }
      code.add(new Stmt.SetCount(level.tensor(), level.stored(), positions));
    }
  }
}
